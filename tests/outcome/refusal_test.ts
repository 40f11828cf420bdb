import { assertEquals } from "@std/assert";
import { ResponseSnapshot } from "../../src/calibrate/response_snapshot.ts";
import { findLoginDemand, findRefusal, findRefusalText } from "../../src/outcome/refusal.ts";

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
  const locked = "This page is currently locked for editing by another user.";
  assertEquals(find(`<p>${locked}</p>`), locked);
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

Deno.test("findRefusal reads the messages that the scripts of a page or of its parts show", () => {
  const page = (text: string) =>
    `<script>var texts = ["This name is not valid"]; growl({summary:"${text}",type:'info'})</script>`;
  const part = (text: string) =>
    `<partial-response><update id="growl"><![CDATA[${page(text)}]]></update></partial-response>`;
  const refusal = "A tea with this name exists already";
  const read = (text: string) => findRefusal([body(page("Mint is saved"))], body(page(text)));
  assertEquals([read(refusal), read("Assam is saved")], [refusal, undefined]);
  const [recorded, live] = ["Mint is saved", refusal].map((text) => body(part(text), "text/xml"));
  assertEquals([findRefusal([recorded], live), findRefusal([live], live)], [refusal, undefined]);
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

const response = (status: number, text: string, location?: string) =>
  new ResponseSnapshot({
    status,
    headers: location === undefined ? [] : [{ name: "Location", value: location }],
    mimeType: "text/html",
    text,
  });

const demand = (live: ResponseSnapshot, method = "GET", refusal = "") =>
  findLoginDemand(
    {
      recorded: response(200, "<p>Sales</p>"),
      live,
      method,
      url: "http://a/sales",
      ...(refusal !== "" && { refusal }),
    },
    () => false,
  );

const FORM = '<form action="/users"><input name="a" type="password"></form>';

Deno.test("findLoginDemand returns `unclear` for a form with a password that a write shows again", () => {
  assertEquals(demand(response(200, FORM)), "login");
  assertEquals(demand(response(200, FORM), "POST"), "unclear");
  assertEquals(demand(response(200, FORM), "POST", "Your session has expired"), "login");
});

Deno.test("findLoginDemand returns `unclear` for redirects to pages about anything else that expired", () => {
  const to = (location: string) => demand(response(302, "", location));
  for (const path of ["/session-expired", "/session_timeout", "/login?expired", "/?error=sso"]) {
    assertEquals(to(path), "login", path);
  }
  for (const path of ["/cart/expired", "/orders?error=expired", "/payment/timeout", "/blog/in"]) {
    assertEquals(to(path), "unclear", path);
  }
});

Deno.test("findLoginDemand returns `login` only for refusals that name the login or the session", () => {
  const text = (refusal: string) => demand(response(400, ""), "GET", refusal);
  for (const refusal of ["Your token has expired", "Access token expired", "Unauthorized"]) {
    assertEquals(text(refusal), "login", refusal);
  }
  for (const refusal of ["The CSRF token has expired", "This reset token has expired", "Expired"]) {
    assertEquals(text(refusal), undefined, refusal);
  }
});

// The page takes minutes if the time is quadratic in its length.
Deno.test("findLoginDemand reads a page of 700 kB of start tags in linear time", () => {
  for (const tag of ["<input ", "<input type", "<input type=password"]) {
    const page = tag.repeat(700_000 / tag.length);
    assertEquals(demand(response(200, page)), tag.endsWith("password") ? "login" : undefined);
  }
});
