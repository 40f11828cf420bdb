import { assert, assertEquals } from "@std/assert";
import type { Request } from "../../src/plan/kinds/request.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";
import { planOf, verified } from "../support/verified.ts";

const SESSION = "9F2B7C41D0E85A6634C19B2E7D5F8A03";
const TOKEN = "5b1f0c9ae77d42c6b3a8";

/**
 * A recording of a redirect that sets a session cookie and has the same session id in its path. The
 * second request sends the headers `sent`.
 */
const redirected = (sent: Record<string, string>) =>
  recordingOf([
    {
      request: "GET /form",
      status: 302,
      response_headers: {
        Location: `/form;jsessionid=${SESSION}?a`,
        "Set-Cookie": `JSESSIONID=${SESSION}; Path=/`,
      },
    },
    { request: `GET /form;jsessionid=${SESSION}?a`, headers: sent, text: "ok", type: "text/html" },
  ]);

Deno.test("verifyPlan reports a session id in a path as unproven if the request also sends the session cookie", async () => {
  const recording = redirected({ Cookie: `JSESSIONID=${SESSION}` });
  const requests = [{ url: "/form" }, { url: `/form;jsessionid=${SESSION}?a` }];
  const { verdict, stale, unproven } = await verified(planOf(requests), recording);
  assertEquals([verdict, stale], ["unproven", []]);
  assert(unproven.some(({ place }) => place === "path segment 3"));
});

Deno.test("verifyPlan reports a session id in a path as stale if the recorded request did not send the session cookie", async () => {
  const recording = redirected({});
  const requests: Request[] = [
    { url: "/form" },
    { url: `/form;jsessionid=${SESSION}?a`, headers: { Cookie: `JSESSIONID=${SESSION}` } },
  ];
  const { verdict } = await verified(planOf(requests), recording);
  assertEquals(verdict, "stale");
});

Deno.test("verifyPlan reports a token in a header as stale even if the request sends a fresh cookie", async () => {
  const recording = recordingOf([
    { request: "GET /", response_headers: { "Set-Cookie": `csrf=${TOKEN}; Path=/` }, text: "ok" },
    {
      request: "POST /notes",
      headers: { Cookie: `csrf=${TOKEN}`, "X-CSRF-Token": TOKEN },
      json: { a: 1 },
      response: {},
    },
  ]);
  const requests: Request[] = [
    { url: "/" },
    { method: "POST", url: "/notes", headers: { "X-CSRF-Token": TOKEN }, body: { json: { a: 1 } } },
  ];
  const { stale } = await verified(planOf(requests), recording);
  assertEquals(stale.map(({ place }) => place), ["header x-csrf-token"]);
});

const [SENT, KEY] = [
  "LSi97swXizOXMtibCLlH40ooSbfG1niZts3YPd1qaQ1S",
  "1RkB_ZEGo-1akIXeK8Gy2KqgQlZMte55em4AmlVLEpSb",
];

const NAMES = [["hash", true, false], ["hash", true, true], ["nickname", false, false]] as const;
for (const [name, isDerived, isText] of NAMES) {
  Deno.test(`verifyPlan reports the key of a file as ${isDerived ? "unproven" : "stale"} if a request sends a ${name} of the same shape${isText ? " in a text body" : ""}`, async () => {
    const body = { name: "a.txt", [name]: [SENT] };
    const recording = recordingOf([
      {
        request: "POST /files",
        ...(isText
          ? { body: JSON.stringify(body), headers: { "Content-Type": "text/plain" } }
          : { json: body }),
        response: { key: KEY },
      },
      { request: "POST /files/part", headers: { "X-File": KEY }, json: { part: 1 }, response: {} },
    ]);
    const requests: Request[] = [
      {
        method: "POST",
        url: "/files",
        body: isText ? JSON.stringify(body) : { json: body },
        ...(isText && { headers: { "Content-Type": "text/plain" } }),
      },
      {
        method: "POST",
        url: "/files/part",
        headers: { "X-File": KEY },
        body: { json: { part: 1 } },
      },
    ];
    const { verdict, unproven } = await verified(planOf(requests), recording);
    assertEquals(verdict, isDerived ? "unproven" : "stale");
    assertEquals(unproven.some(({ value }) => value === KEY), isDerived);
  });
}
