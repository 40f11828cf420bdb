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

const needsDigest = (location: string) => ({ target, headers }: Sent): FakeResponse => {
  if (headers.authorization === undefined) return { status: 401, headers: [CHALLENGE] };
  const uri = /uri="([^"]*)"/.exec(headers.authorization)?.[1];
  if (uri !== target) return { status: 400 };
  if (target === "/start") return { status: 302, headers: [["location", location]] };
  return { status: 200 };
};

Deno.test("digest: a redirect to the same origin is authenticated again for its own URL", async () => {
  const steps = [{ request: { url: "http://joe:x@t/start", auth: "digest" as const } }];
  const { sent, summary } = await runFlow(steps, { respond: needsDigest("/end") });
  assertEquals(
    sent.map(({ target, headers }) => [target, headers.authorization !== undefined]),
    [["/start", false], ["/start", true], ["/end", false], ["/end", true]],
  );
  assertEquals(summary.endpoints[0].failed, 0);
});

Deno.test("digest: a redirect to another origin gets no credentials", async () => {
  const steps = [{ request: { url: "http://joe:x@t/start", auth: "digest" as const } }];
  const { sent, summary } = await runFlow(steps, { respond: needsDigest("http://other/end") });
  assertEquals(sent.map(({ headers }) => headers.authorization !== undefined), [
    false,
    true,
    false,
  ]);
  assertEquals(summary.endpoints[0].failed, 1);
});

Deno.test("digest: `max_redirects` does not count requests with credentials", async () => {
  const run = (url: string, max_redirects: number) =>
    runFlow([{ request: { url, auth: "digest" as const } }], {
      respond: needsDigest("/end"),
      plan: { defaults: { http: { max_redirects } } },
    });
  const none = await run("http://joe:x@t/end", 0);
  assertEquals([none.sent.length, none.summary.endpoints[0].failed], [2, 0]);
  const exceeded = await run("http://joe:x@t/start", 0);
  assertEquals([exceeded.sent.length, exceeded.summary.endpoints[0].failed], [2, 1]);
  const one = await run("http://joe:x@t/start", 1);
  assertEquals([one.sent.length, one.summary.endpoints[0].failed], [4, 0]);
});

Deno.test("digest: a redirect loop ends at `max_redirects`", async () => {
  const { sent, summary } = await runFlow(
    [{ request: { url: "http://joe:x@t/start", auth: "digest" as const } }],
    { respond: needsDigest("/start"), plan: { defaults: { http: { max_redirects: 3 } } } },
  );
  assertEquals([sent.length, summary.endpoints[0].failed], [8, 1]);
});
