import { assertEquals, assertMatch } from "@std/assert";
import type { FakeResponse, Sent } from "../../support/fake_sender.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

const CHALLENGE = ["www-authenticate", 'Digest realm="r", nonce="n", qop="auth"'] as const;

const respond = ({ headers }: Sent): FakeResponse =>
  headers.authorization === undefined
    ? { status: 401, headers: [CHALLENGE, ["set-cookie", "visit=1; Path=/"]] }
    : { status: 200, body: "ok" };

Deno.test("digest: a request is sent again with credentials if the server asks for them", async () => {
  const url = "http://joe:p%40ss@t/a?b=1";
  const steps = [{ request: { url, auth: "digest" as const, headers: { Cookie: "own=1" } } }];
  const { sent, summary } = await runFlow(steps, { respond });
  assertEquals(sent.map(({ target }) => target), ["/a?b=1", "/a?b=1"]);
  assertEquals(sent[0].headers.authorization, undefined);
  assertMatch(
    sent[1].headers.authorization,
    /^Digest username="joe", realm="r", nonce="n", uri="\/a\?b=1", response="[0-9a-f]{32}"/,
  );
  assertEquals(sent[1].headers.cookie, "own=1; visit=1");
  const [{ count, failed, statuses }] = summary.endpoints;
  assertEquals([count, failed, statuses], [2, 0, { "200": 1, "401": 1 }]);
});

Deno.test("digest: wrong credentials fail the request after one attempt", async () => {
  const steps = [{ request: { url: "http://joe:x@t/", auth: "digest" as const } }];
  const { sent, summary } = await runFlow(steps, {
    respond: () => ({ status: 401, headers: [CHALLENGE] }),
  });
  assertEquals([sent.length, summary.endpoints[0].failed], [2, 1]);
});

Deno.test("digest: `defaults.http.auth` applies to requests, and other requests use Basic", async () => {
  const digest = await runFlow([{ request: { url: "http://joe:x@t/", follow_redirects: false } }], {
    respond,
    plan: { defaults: { http: { auth: "digest" } } },
  });
  assertEquals(digest.sent.length, 2);
  const basic = await runFlow([{ request: { url: "http://joe:x@t/" } }], { respond });
  assertEquals(basic.sent.map(({ headers }) => headers.authorization), ["Basic am9lOng="]);
});
