import { assertEquals } from "@std/assert";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { urlPasswords } from "../../../src/plan/targets.ts";
import { hidePasswords, withoutUserInfo } from "../../../src/plan/text/user_info.ts";

const URLS: [text: string, without: string, hidden: string][] = [
  ["http://h/a@b:c", "http://h/a@b:c", "http://h/a@b:c"],
  ["http://joe:s3cret@h:81/a", "http://h:81/a", "http://joe:******@h:81/a"],
  ["GET https://joe@h/", "GET https://h/", "GET https://joe@h/"],
  ["http://a:b@c:d@h?x", "http://h?x", "http://a:*****@h?x"],
  ["http://${vars.u}:${secrets.p}@h", "http://h", "http://${vars.u}:************@h"],
  ["http://:pw@h http://h2/", "http://h http://h2/", "http://:**@h http://h2/"],
];

Deno.test("withoutUserInfo removes the user information from URLs, and hidePasswords masks only the password", () => {
  for (const [text, without, hidden] of URLS) {
    assertEquals([withoutUserInfo(text), hidePasswords(text)], [without, hidden], text);
    assertEquals(hidePasswords(text).length, text.length);
  }
});

Deno.test("urlPasswords returns the decoded passwords in the URLs of a plan", () => {
  const flow = ["http://a:b%20c@h/", "/x", "http://d:${vars.p}@h/"].map((url) => ({
    request: { url },
  }));
  const plan: Plan = {
    defaults: { http: { base_url: "https://joe:s3cret@h" } },
    scenarios: { s: { executor: "constant-vus", vus: 1, duration: 1, flow } },
  };
  assertEquals(urlPasswords(plan), ["s3cret", "joe:s3cret", "b c", "a:b c"]);
});
