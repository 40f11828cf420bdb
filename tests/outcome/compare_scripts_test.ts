import { assertEquals } from "@std/assert";
import { compareResponses } from "../../src/outcome/compare_responses.ts";
import { compareScripts } from "../../src/outcome/compare_responses.ts";
import { describeDifference } from "../../src/outcome/difference.ts";

const page = (script: string, body = "") => ({
  status: 200,
  headers: [{ name: "Content-Type", value: "text/html" }],
  mimeType: "",
  text: `<html><head><title></title><script>${script}</script></head><body>${body}</body></html>`,
});
const compare = (recorded: string, live: string, body = "") =>
  compareResponses(page(recorded, body), page(live, body)).map(describeDifference);

const SENT = 'parent.app.sent("confirmation", "Message sent.", 17);';
const FAILED = 'parent.app.show("The message was not sent.", "error", 0);';

Deno.test("compareResponses finds a failure that the script of a page without text states", () => {
  assertEquals(compare(SENT, FAILED), ["outcome in the script error instead of (none)"]);
  assertEquals(compare(SENT, FAILED.replaceAll('"', "'")), [
    "outcome in the script error instead of (none)",
  ]);
});

Deno.test("compareResponses ignores scripts that state the recorded outcome", () => {
  assertEquals(compare(SENT, SENT.replace("17", "18")), []);
  assertEquals(compare(FAILED, FAILED.replace("not sent", "lost")), []);
  assertEquals(compare(FAILED, SENT), []);
});

Deno.test("compareResponses ignores words in scripts that are no outcome", () => {
  assertEquals(compare(SENT, "app.on(error); // 'no error'"), []);
  assertEquals(compare(SENT, 'app.labels({ error: "Message not sent" });'), []);
});

Deno.test("compareResponses ignores the scripts of pages that show text", () => {
  assertEquals(compare(SENT, FAILED, "<p>Inbox</p>"), []);
});

Deno.test("compareScripts reads scripts without an end tag", () => {
  const [difference] = compareScripts("<script>app.sent()", '<script>app.show("error")');
  assertEquals(difference?.live, "error");
});

// The pages take minutes if the time is quadratic in their length.
Deno.test("compareScripts reads 400 kB of start tags in linear time", () => {
  for (const tag of ["<script>", "<script ", "<script>'a", "<script></scrip"]) {
    const page = tag.repeat(400_000 / tag.length);
    assertEquals(compareScripts(page, page), []);
  }
});
