import { assertEquals } from "@std/assert";
import { findRefusalText } from "../../src/outcome/refusal.ts";

const body = (text: string, mimeType = "text/html") => ({
  status: 200,
  headers: [],
  mimeType,
  text,
});

Deno.test("findRefusalText finds text that reads like a refusal or is in an error element", () => {
  const recorded = [body("<p>Invalid orders: 0</p>")];
  const find = (text: string) => findRefusalText(recorded, body(text));
  assertEquals(find("<p>Your session has expired.</p>"), "Your session has expired.");
  assertEquals(find('<ul class="errorlist"><li>Enter a title</li></ul>'), "Enter a title");
  assertEquals(find("<p>Invalid orders: 7</p>"), undefined);
  assertEquals(find("<script>var expired = 'expired'</script><p>Fine</p>"), undefined);
});

Deno.test("findRefusalText reads JSON and the partial responses of JSF in XML", () => {
  const json = body('{"error": "name is missing"}', "application/json");
  assertEquals(findRefusalText([body("{}", "application/json")], json), "name is missing");
  const xml =
    '<?xml version="1.0"?><partial-response><error><error-name>View lost</error-name></error>' +
    "</partial-response>";
  assertEquals(findRefusalText([], body(xml, "text/xml")), "View lost");
});

Deno.test("findRefusalText prefers the explanation of an error to its code", () => {
  const find = (json: unknown) =>
    findRefusalText(
      [body("{}", "application/json")],
      body(JSON.stringify(json), "application/json"),
    );
  assertEquals(find({ error: "csrf", message: "CSRF token missing" }), "CSRF token missing");
  assertEquals(find({ error: "bad_credentials", detail: "Wrong password" }), "Wrong password");
  assertEquals(find({ error: { code: "E7", message: "Log in first" } }), "Log in first");
  assertEquals(find({ errors: { title: ["cannot be blank"] } }), "cannot be blank");
  assertEquals(find({ error: "csrf" }), "csrf");
  assertEquals(find({ error: null, message: "Order saved" }), undefined);
});
