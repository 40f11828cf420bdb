import { assertEquals, assertMatch } from "@std/assert";
import type { CounterStats, TrendStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { DigestServer, type DigestServerOptions } from "../../support/digest_server.ts";
import type { FakeResponse, Sent } from "../../support/fake_sender.ts";
import { runFlow, runInVirtualTime } from "../../support/run_in_virtual_time.ts";

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

Deno.test("digest: requests use Digest authentication if `defaults.http.auth` is `digest`, and Basic authentication by default", async () => {
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

Deno.test("digest: a request redirected to the same origin has credentials for its new URL", async () => {
  const steps = [{ request: { url: "http://joe:x@t/start", auth: "digest" as const } }];
  const { sent, summary } = await runFlow(steps, { respond: needsDigest("/end") });
  assertEquals(
    sent.map(({ target, headers }) => [target, headers.authorization !== undefined]),
    [["/start", false], ["/start", true], ["/end", true]],
  );
  assertEquals(summary.endpoints[0].failed, 0);
});

Deno.test("digest: a request redirected to another origin has no credentials", async () => {
  const steps = [{ request: { url: "http://joe:x@t/start", auth: "digest" as const } }];
  const { sent, summary } = await runFlow(steps, { respond: needsDigest("http://other/end") });
  assertEquals(sent.map(({ headers }) => headers.authorization !== undefined), [
    false,
    true,
    false,
  ]);
  assertEquals(summary.endpoints[0].failed, 1);
});

Deno.test("digest: sending a request again with credentials does not count toward `max_redirects`", async () => {
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
  assertEquals([one.sent.length, one.summary.endpoints[0].failed], [3, 0]);
});

Deno.test("digest: a redirect loop ends at `max_redirects`", async () => {
  const { sent, summary } = await runFlow(
    [{ request: { url: "http://joe:x@t/start", auth: "digest" as const } }],
    { respond: needsDigest("/start"), plan: { defaults: { http: { max_redirects: 3 } } } },
  );
  assertEquals([sent.length, summary.endpoints[0].failed], [5, 1]);
});

const get = (path: string, user = "joe:secret") => ({
  request: { url: `http://${user}@t${path}`, auth: "digest" as const },
});

/**
 * Sends requests to a server. Returns the nonce and nonce count of each request, such as `n1/2`, or
 * `-` for a request without credentials.
 */
async function exchange(
  paths: readonly string[],
  options: DigestServerOptions = {},
  scenario: { readonly iterations?: number; readonly new_user?: boolean } = {},
) {
  const { respond } = new DigestServer(options);
  const plan: Plan = {
    name: "digest",
    scenarios: {
      main: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        ...scenario,
        flow: paths.map((path) => get(path)),
      },
    },
  };
  const { sent, summary } = await runInVirtualTime(plan, { respond });
  return {
    sent: sent.map(({ headers }) =>
      /nonce="(n\d+)".* nc=0*(\d+)/.exec(headers.authorization ?? "")?.slice(1).join("/") ?? "-"
    ),
    failed: summary.endpoints.reduce((sum, { failed }) => sum + failed, 0),
  };
}

Deno.test("digest: later requests of a VU reuse the nonce and increment its count", async () => {
  for (const algorithm of ["MD5", "MD5-sess"] as const) {
    const { sent, failed } = await exchange(["/a", "/b"], { algorithm }, { iterations: 2 });
    assertEquals([sent, failed], [["-", "n1/1", "n1/2", "n1/3", "n1/4"], 0]);
  }
});

Deno.test("digest: an expired nonce is replaced by the nonce in the new challenge", async () => {
  for (const tellsStale of [true, false]) {
    const { sent, failed } = await exchange(["/a", "/b", "/c"], { uses: 2, tellsStale });
    assertEquals([sent, failed], [["-", "n1/1", "n1/2", "n1/3", "n2/1"], 0]);
  }
});

Deno.test("digest: with `new_user`, each iteration starts without a nonce", async () => {
  const { sent, failed } = await exchange(["/a"], {}, { iterations: 2, new_user: true });
  assertEquals([sent, failed], [["-", "n1/1", "-", "n2/1"], 0]);
});

Deno.test("digest: if a password stops working, each request fails after one attempt with a new nonce", async () => {
  let password = "secret";
  const servers = [new DigestServer(), new DigestServer({ password: "new" })];
  const respond = (sent: Sent) => servers[password === "secret" ? 0 : 1].respond(sent);
  const { sent, summary } = await runFlow([get("/a"), get("/b"), get("/c")], {
    respond: (request) => {
      if (request.target === "/b") password = "new";
      return respond(request);
    },
  });
  assertEquals(sent.map(({ target }) => target), ["/a", "/a", "/b", "/b", "/c", "/c"]);
  assertEquals(summary.endpoints.map(({ failed }) => failed).sort(), [0, 1, 1]);
});

Deno.test("digest: a request fails after one attempt if the server repeats its challenge", async () => {
  let isOpen = true;
  const { sent, summary } = await runFlow([get("/a"), get("/b")], {
    respond: ({ target, headers }) => {
      if (target === "/b") isOpen = false;
      return isOpen && headers.authorization !== undefined
        ? { status: 200 }
        : { status: 401, headers: [CHALLENGE] };
    },
  });
  assertEquals(sent.map(({ target }) => target), ["/a", "/a", "/b"]);
  assertEquals(summary.endpoints.map(({ failed }) => failed).sort(), [0, 1]);
});

Deno.test("digest: users with different credentials do not share a nonce", async () => {
  const { sent } = await runFlow([get("/a"), get("/a", "ann:other"), get("/a")], {
    respond: new DigestServer().respond,
  });
  const users = sent.map(({ headers }) =>
    /username="(\w+)"/.exec(headers.authorization ?? "")?.[1]
  );
  assertEquals(users, [undefined, "joe", undefined, "ann", undefined, "joe"]);
});

Deno.test("digest: parallel requests share a nonce, and an Authorization header of the plan takes precedence", async () => {
  const own = {
    request: { ...get("/own").request, headers: { Authorization: "Bearer t" } },
  };
  const { sent } = await runFlow(
    [get("/a"), { parallel: { branches: [[get("/b")], [get("/c")]] } }, own],
    { respond: new DigestServer().respond },
  );
  const seen = sent.map(({ target, headers }) => [
    target,
    / nc=0*(\d+)/.exec(headers.authorization ?? "")?.[1] ?? headers.authorization,
  ]);
  assertEquals(seen, [["/a", undefined], ["/a", "1"], ["/b", "2"], ["/c", "3"], [
    "/own",
    "Bearer t",
  ]]);
});

const stream = (body: string, type = "text/event-stream; charset=utf-8"): FakeResponse => ({
  body,
  headers: [["Content-Type", type]],
  ms: 40,
});

/**
 * Sends a request for server-sent events, and then a request that uses the extracted value `x`.
 * Returns the sent requests, the errors, the number of events, and the time to the first event.
 */
async function read(sse: Request["sse"], response: FakeResponse, extract: Request["extract"] = []) {
  const { sent, summary } = await runFlow([
    { request: { url: "/events", sse, extract } },
    { request: { url: "/next?x=${x}", extract: [] } },
  ], { respond: ({ target }) => target === "/events" ? response : {} });
  return {
    sent,
    errors: summary.errors.map(({ kind, message }) => `${kind}: ${message}`),
    events: (summary.metrics.sse_events as CounterStats).count,
    first: summary.metrics.sse_first_event as TrendStats,
  };
}

const take: Request["extract"] = [{ type: "jsonpath", name: "x", expression: "$.n" }];
const BODY = 'data: {"n":1}\n\ndata: {"n":2,"done":true}\n\ndata: {"n":3}\n\n';

Deno.test("`sse` reads events until one meets the condition, and extracts values from that event", async () => {
  const until = { type: "jsonpath", expression: "$.done", equals: true } as const;
  const { sent, errors, events, first } = await read({ until }, stream(BODY), take);
  assertEquals([errors, events, sent[1].target], [[], 2, "/next?x=2"]);
  assertEquals([first.count, Math.round(first.avg)], [1, 40]);
  assertEquals(sent[0].headers.accept, "text/event-stream");
  assertEquals(sent[0].headers["accept-encoding"], undefined);
});

Deno.test("`sse: true` reads all events, and extracts values from the last one", async () => {
  const { sent, errors, events } = await read(true, stream(BODY), take);
  assertEquals([errors, events, sent[1].target], [[], 3, "/next?x=3"]);
});

Deno.test("`sse` fails if no event meets the condition, or if the response has no events", async () => {
  const until = { type: "body_contains", value: "never" } as const;
  assertEquals(
    (await read({ until }, stream(BODY))).errors[0],
    "closed: the stream ended after 3 events, none of which meets the condition " +
      "body_contains value never",
  );
  assertEquals(
    (await read(true, stream("{}", "application/json"))).errors[0],
    "protocol: the response is not an event stream: its content type is application/json",
  );
  assertEquals((await read(true, { status: 503 })).errors.length, 1);
  const unset = { type: "body_contains", value: "${x}" } as const;
  assertEquals(
    (await read({ until: unset }, stream(BODY))).errors[0],
    'template: the variable "x" is not set',
  );
});

Deno.test("`sse` ends after `max_events`, or when the server ends the stream earlier", async () => {
  const two = await read({ max_events: 2 }, { ...stream(BODY), open: true }, take);
  assertEquals([two.errors, two.events, two.sent[1].target], [[], 2, "/next?x=2"]);
  assertEquals(two.sent[1].at, 40);
  const nine = await read({ max_events: 9 }, stream(BODY), take);
  assertEquals([nine.errors, nine.events, nine.sent[1].target], [[], 3, "/next?x=3"]);
});

Deno.test("`sse` ends after `max_duration` without an error if the response has started", async () => {
  const limits = { max_events: 9, max_duration: "3s" };
  const { errors, events, sent } = await read(limits, { ...stream(BODY), open: true }, take);
  assertEquals([errors, events, sent[1].target, sent[1].at], [[], 3, "/next?x=3", 3_000]);
  const { summary } = await runFlow([
    { request: { url: "/events", sse: { max_duration: "3s" } } },
  ], { respond: () => ({ ...stream(""), open: true }) });
  assertEquals(summary.errors, []);
});

Deno.test("`sse` fails if the response does not start by `max_duration`, or if a shorter `timeout` expires", async () => {
  const late = await read({ max_duration: "3s" }, { error: "timeout", ms: 3_000 });
  assertEquals(late.errors[0], "timeout: it ended in timeout");
  const { summary } = await runFlow([
    { request: { url: "/events", timeout: "1s", sse: { max_duration: "3s" } } },
  ], { respond: () => ({ ...stream(BODY), open: true }) });
  assertEquals(summary.errors.map(({ kind }) => kind), ["timeout"]);
});

Deno.test("`sse` with a limit still fails if no event meets `until`", async () => {
  const until = { type: "body_contains", value: "never" } as const;
  const limits = [{ until, max_events: 2 }, { until, max_duration: "1s" }];
  for (const limit of limits) {
    const { errors: [error] } = await read(limit, { ...stream(BODY), open: true });
    const count = "max_events" in limit ? 2 : 3;
    assertEquals(
      error,
      `closed: the stream ended after ${count} events, none of which meets the condition ` +
        "body_contains value never",
    );
  }
});

Deno.test("`sse` counts the time during which events arrive as receiving time, not as waiting time", async () => {
  const { summary } = await runFlow([
    { request: { url: "/events", sse: { max_duration: "3s" } } },
  ], { respond: () => ({ ...stream(BODY), open: true }) });
  const average = (name: string) => Math.round((summary.metrics[name] as TrendStats).avg);
  assertEquals(average("http_req_waiting"), 40);
  assertEquals(average("http_req_receiving"), 2_960);
});
