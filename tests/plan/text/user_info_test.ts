import { assertEquals } from "@std/assert";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { urlPasswords } from "../../../src/plan/targets.ts";
import {
  hideAllPasswords,
  hidePasswords,
  withoutLogin,
  withoutUserInfo,
} from "../../../src/plan/text/user_info.ts";

const URLS: [text: string, without: string, hidden: string][] = [
  ["http://h/a@b:c", "http://h/a@b:c", "http://h/a@b:c"],
  ["http://joe:s3cret@h:81/a", "http://h:81/a", "http://joe:******@h:81/a"],
  ["GET https://joe@h/", "GET https://h/", "GET https://joe@h/"],
  ["http://a:b@c:d@h?x", "http://h?x", "http://a:*****@h?x"],
  ["http://${vars.u}:${secrets.p}@h", "http://h", "http://${vars.u}:************@h"],
  ["WS wss://joe:pw@h/", "WS wss://h/", "WS wss://joe:**@h/"],
  ["s3://k:pw@b ftp://u:pw@h", "s3://b ftp://h", "s3://k:**@b ftp://u:**@h"],
  ["svn+ssh://u:pw@h/a@b", "svn+ssh://h/a@b", "svn+ssh://u:**@h/a@b"],
  ["nats://t0ken@h tls://t0k@h/r", "nats://h tls://h/r", "nats://*****@h tls://***@h/r"],
  ["nats://u:pw@h/r", "nats://h/r", "nats://u:**@h/r"],
  ["http://h:80/a@b?c@d#e@f", "http://h:80/a@b?c@d#e@f", "http://h:80/a@b?c@d#e@f"],
  ["http://h:${vars.p}/a@b", "http://h:${vars.p}/a@b", "http://h:${vars.p}/a@b"],
  ["http://[::1]:80/a:b@c", "http://[::1]:80/a:b@c", "http://[::1]:80/a:b@c"],
  ["u:pw@h, a@b.example", "u:pw@h, a@b.example", "u:pw@h, a@b.example"],
  // The password contains unescaped delimiters, so the URL is invalid.
  ["http://u:p/w@h", "http://u:p/w@h", "http://u:***@h"],
  ["ws://u:p?#w@h/x", "ws://u:p?#w@h/x", "ws://u:****@h/x"],
  ["http://:pw@h http://h2/", "http://h http://h2/", "http://:**@h http://h2/"],
];

Deno.test("withoutUserInfo removes the user information from URLs, and hidePasswords masks only the password", () => {
  for (const [text, without, hidden] of URLS) {
    assertEquals([withoutUserInfo(text), hidePasswords(text)], [without, hidden], text);
    assertEquals(hidePasswords(text).length, text.length);
  }
});

Deno.test("hidePasswords takes linear time for hostile text", () => {
  for (const text of ["://a:", "://", "a.b-", "://a:b/", "://u:${", "[://x"]) {
    const long = text.repeat(100_000);
    assertEquals(hidePasswords(long + " @"), long + " @");
  }
});

Deno.test("hideAllPasswords masks passwords in all strings and keys of a value, and changes nothing else", () => {
  const value = { "x http://u:pw@h": ["ws://u:pw@h", 1, null, { a: "http://h", b: "c@d" }] };
  assertEquals<unknown>(hideAllPasswords(value), {
    "x http://u:**@h": ["ws://u:**@h", 1, null, { a: "http://h", b: "c@d" }],
  });
});

Deno.test("withoutLogin removes a login from a URL, even if the URL is invalid", () => {
  const texts = ["ftp://u:pw@h", "u:pw@h", "http://u:p/?#@w@h", "h:80", "ftp://h/x"];
  assertEquals(texts.map(withoutLogin), ["ftp://h", "h", "http://h", "h:80", "ftp://h/x"]);
});

Deno.test("urlPasswords returns the decoded passwords in the URLs of a plan", () => {
  const flow = ["http://a:b%20c@h/", "/x", "http://d:${vars.p}@h/", "ws://e:f@h:${vars.p}/"].map((
    url,
  ) => ({ request: { url } }));
  const plan: Plan = {
    defaults: { http: { base_url: "https://joe:s3cret@h" } },
    variables: { port: 80, root: "http://v:w@h" },
    outputs: [{ type: "otlp", endpoint: "http://x:y@h" }],
    scenarios: { s: { executor: "constant-vus", vus: 1, duration: 1, flow } },
  };
  assertEquals(urlPasswords(plan), [
    ...["s3cret", "joe:s3cret", "b c", "a:b c", "f", "e:f"],
    ...["w", "v:w", "y", "x:y"],
  ]);
});
