import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { moveOverlapped } from "../../src/calibrate/flow_edits.ts";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibratedPlanText, calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { listRequests, listSteps } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import { calibrateModel, explainedTextOf, type ModelOptions } from "../support/calibrated.ts";
import type { FakeSocket } from "../support/fake_socket.ts";
import { type CreateApp, ModelBrowser, Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

/** Jobs whose events contain the key of the result. The number of events varies. */
const JOBS: Model = {
  create(seed) {
    const values = new Values(seed);
    const keys = new Set<string>();
    return ({ method, path }) => {
      if (method === "POST") return { json: { ok: true } };
      if (path !== "/events") {
        return keys.has(path.slice(9)) ? { json: { tea: "green" } } : { status: 404, json: {} };
      }
      const key = values.hex(16);
      keys.add(key);
      const steps = Array.from(
        { length: seed + 1 },
        (_, step) => JSON.stringify({ type: "step", step }),
      );
      return { events: [...steps, JSON.stringify({ type: "ready", key }), '{"type":"bye"}'] };
    };
  },
  use(browser) {
    browser.send("POST", "/jobs", { json: { tea: "green" } });
    const { body } = browser.send("GET", "/events");
    browser.send("GET", `/results/${/"key":"(\w+)"/.exec(body)![1]}`);
  },
};

Deno.test("calibratePlan reports a plan that reads server-sent events as proven, and does not compare the number of events", async () => {
  const { calibration, plan } = await calibrateModel(JOBS, { start: "all" });
  assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
  assertEquals(plan.scenarios.recorded.flow[1].request?.sse, {
    until: { type: "jsonpath", expression: "$.type", equals: "ready" },
  });
  assertEquals(calibration.removed, []);
});

/** Returns the plan of `JOBS` with the recorded key in place of the extracted one. */
function withLiteral(plan: Plan): Plan {
  const { flow } = plan.scenarios.recorded;
  const app = JOBS.create(1);
  const browser = new ModelBrowser(app);
  const key = /"key":"(\w+)"/.exec(browser.send("GET", "/events").body)![1];
  flow[1].request = { ...flow[1].request!, extract: undefined };
  flow[2].request = { ...flow[2].request!, url: `/results/${key}` };
  return plan;
}

Deno.test("calibratePlan extracts a value from the event that ends a stream", async () => {
  const { calibration, plan } = await calibrateModel(JOBS, { start: "all", edit: withLiteral });
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
  assertEquals(plan.scenarios.recorded.flow[1].request?.extract, [
    { type: "jsonpath", name: "key", expression: "$.key" },
  ]);
  assertEquals(plan.scenarios.recorded.flow[2].request?.url, "/results/${key}");
  assertEquals(calibration.uncompared, [
    { index: 1, name: "GET /events", what: "events before the last one" },
  ]);
  assertStringIncludes(
    explainedTextOf(calibration),
    "Not compared (1)\n  call 2: events before the last one\n",
  );
  assertMatch(
    explainedTextOf(calibration),
    /^proven against .*; not compared: events of streams$/m,
  );
});

Deno.test("calibratePlan reports a difference if the event that ends a stream has different members", async () => {
  const live: CreateApp = () => ({ method, path }) =>
    method === "GET" && path === "/events"
      ? { events: ['{"type":"ready","error":"no worker"}'] }
      : method === "POST"
      ? { json: { ok: true } }
      : { json: { tea: "green" } };
  const { calibration } = await calibrateModel(JOBS, { start: "all", live, edit: withLiteral });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.calls[1].kind, "refused", explainedTextOf(calibration));
  assertEquals(calibration.calls[1].differences, [
    "JSON members: only recorded: key; only live: error",
  ]);
});

/** An application that streams changing prices. On a live server, the first event is `first`. */
const pricesFrom = (first: string): Model => ({
  create: (seed) => ({ path }) =>
    path === "/prices"
      ? { events: [seed === 1 ? '{"price":1000017,"id":"a1b2c3d4"}' : first, '{"price":2}'] }
      : { json: { ok: true } },
  use(browser) {
    browser.send("GET", "/prices");
    browser.send("GET", "/items/a1b2c3d4");
  },
});

Deno.test("calibratePlan does not compare server-sent events if only `max_events` ends the stream", async () => {
  const { calibration, plan } = await calibrateModel(pricesFrom('{"notice":"closed"}'), {
    edit(plan) {
      plan.scenarios.recorded.flow[0].request!.sse = { max_events: 1 };
      return plan;
    },
  });
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
  assertEquals(calibration.uncompared.map(({ what }) => what), ["events"]);
  assertEquals(plan.scenarios.recorded.flow[1].request?.url, "/items/a1b2c3d4");
});

Deno.test("calibratePlan extracts a value from the last event that `max_events` allows if that event has the recorded JSON members", async () => {
  const { plan } = await calibrateModel(pricesFrom('{"price":9000019,"id":"e5f6a7b8"}'), {
    edit(plan) {
      plan.scenarios.recorded.flow[0].request!.sse = { max_events: 1 };
      return plan;
    },
  });
  assertEquals(plan.scenarios.recorded.flow[1].request?.url, "/items/${item_id}");
});

/** Returns the plan with an added WebSocket, on which the user waits for a greeting. */
const withSocket = (plan: Plan): Plan => {
  plan.scenarios.recorded.flow.push({
    websocket: { url: "ws://target.example:9090/live", steps: [{ expect: {} }] },
  });
  return plan;
};
const HOME: Model = {
  create: () => () => ({ json: { ok: true } }),
  use: (browser) => {
    browser.send("GET", "/home");
  },
};

Deno.test("calibratePlan states that it does not compare the messages of a WebSocket", async () => {
  const socket = () => ({ onOpen: (server: FakeSocket) => server.reply("hello") });
  const found = await calibrateModel(HOME, { edit: withSocket, socket });
  const { calibration } = found;
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
  const { text } = calibratedPlanText(found, found.text);
  assertMatch(
    text,
    /^# Calibrated against .* for 2 users in 2 iterations; not compared: WebSocket messages\.$/m,
  );
  // Opening a WebSocket counts as a write.
  assertEquals(calibration.writes, { sent: 6, limit: 39 + 16 });
  assertEquals(calibration.rounds.map(({ sockets }) => [sockets?.sessions, sockets?.failed]), [
    [1, 0],
    [1, 0],
    [4, 0],
  ]);
  assertStringIncludes(
    explainedTextOf(calibration),
    "Not compared (1)\n  WS ws://target.example:9090/live: messages\n",
  );
  assertMatch(
    explainedTextOf(calibration),
    /^proven against .*; not compared: WebSocket messages$/m,
  );
});

for (
  const [failing, round] of [[[1], "pass 1"], [[3], "round 1"], [
    [1, 2, 3, 4, 5],
    "pass 1",
  ]] as const
) {
  Deno.test(`calibratePlan does not report a plan as proven if these WebSockets fail: ${failing}`, async () => {
    let opened = 0;
    const socket = () => {
      const end = { code: 1011, reason: "overloaded" };
      return (failing as readonly number[]).includes(++opened)
        ? { onOpen: (server: FakeSocket) => server.end(end) }
        : { onOpen: (server: FakeSocket) => server.reply("hello") };
    };
    const found = await calibrateModel(HOME, { edit: withSocket, socket });
    const { calibration } = found;
    assertEquals(calibration.proven, false, explainedTextOf(calibration));
    assertEquals(calibration.exceptState, false);
    assertEquals(calibration.calls.map(({ kind }) => kind), ["as recorded"]);
    assertEquals(calibration.socketFailure?.round, round);
    assertStringIncludes(
      explainedTextOf(calibration),
      ` in ${round}: WS ws://target.example:9090/live: `,
    );
    assertStringIncludes(explainedTextOf(calibration), "overloaded");
    assertMatch(explainedTextOf(calibration), /^not proven against .*\(WebSockets failed\)$/m);
    const browser = new ModelBrowser(HOME.create(1));
    HOME.use(browser);
    const { notes } = calibrationReview(found, await browser.recording(), (text) => text);
    assertEquals(notes.map(({ kind, rating }) => [kind, rating]), [
      ["WebSocket failed", "bad"],
      ["not compared", "open"],
    ]);
  });
}

Deno.test("calibratePlan does not report a plan as proven if the server does not open its WebSocket", async () => {
  const { calibration } = await calibrateModel(HOME, { edit: withSocket });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.socketFailure?.failed, 1);
  assertStringIncludes(explainedTextOf(calibration), "the server did not open it");
});

/**
 * An application that reports each job as running for `pending` status requests, with HTTP status
 * `working`. Then the job ends with the state `end`.
 */
function jobs(pending: number, { end = "done", working = 200 } = {}): CreateApp {
  return (seed) => {
    const values = new Values(seed);
    const left = new Map<string, number>();
    const results = new Set<string>();
    return ({ method, path }) => {
      if (method === "POST") {
        const id = values.hex(16);
        left.set(id, pending);
        return { status: 201, json: { id, status: "pending" } };
      }
      const [, kind, id] = path.split("/");
      if (kind === "results") {
        return results.has(id) ? { json: { rows: 3 } } : { status: 404, json: { error: "none" } };
      }
      const count = left.get(id);
      if (count === undefined) return { status: 404, json: { error: "no such job" } };
      left.set(id, count - 1);
      if (count > 0) return { status: working, json: { id, status: "running" } };
      if (end !== "done") return { json: { id, status: end } };
      const result = values.hex(16);
      results.add(result);
      return { json: { id, status: end, result } };
    };
  };
}

function use(browser: ModelBrowser): void {
  const { id } = JSON.parse(browser.send("POST", "/jobs", { json: { kind: "tea" } }).body);
  for (;;) {
    const { status, result } = JSON.parse(browser.send("GET", `/jobs/${id}`).body);
    if (status === "running") continue;
    browser.send("GET", `/results/${result}`);
    return;
  }
}

/** Calibrates a recording in which the job ended at the third status request. */
function calibrated(live: CreateApp, options: ModelOptions = {}) {
  return calibrateModel({ create: jobs(2), use }, { live, start: "all", gap: 0, ...options });
}

for (
  const [name, pending] of [
    ["at once", 0],
    ["sooner than recorded", 1],
    ["later than recorded", 9],
  ] as const
) {
  for (const start of ["all", "bare"] as const) {
    Deno.test(`calibratePlan reports a plan (${start}) as proven if the polled job ends ${name}`, async () => {
      const { calibration, kinds, isValid, text } = await calibrated(jobs(pending), { start });
      assertEquals(kinds.length, 3);
      assert(calibration.proven, JSON.stringify(calibration.calls));
      assert(isValid);
      assertStringIncludes(text, "expression: $.result");
    });
  }
}

Deno.test("calibratePlan does not report a plan as proven if the polled job does not end", async () => {
  const { calibration } = await calibrated(jobs(Infinity));
  assertEquals(calibration.proven, false);
  const [, poll] = calibration.calls;
  assertEquals([poll.kind, poll.differences[0]], [
    "refused",
    "`jsonpath expression $.status equals done` still false after 1,000 attempts",
  ]);
  assertStringIncludes(
    calibrationText(calibration, (text) => text, true),
    "still false after 1,000 attempts",
  );
});

Deno.test("calibratePlan does not report a plan as proven if the polled job ends in a different state than recorded", async () => {
  const { calibration } = await calibrated(jobs(1, { end: "failed" }));
  assertEquals([calibration.proven, calibration.calls[1].kind], [false, "refused"]);
});

Deno.test("calibratePlan reports one failed call, not one per attempt, if a polled status request fails", async () => {
  const { calibration } = await calibrated(jobs(9, { working: 500 }));
  const [, poll] = calibration.calls;
  assertEquals([poll.kind, poll.differences[0]], ["refused", "status 500 instead of 200"]);
  const [{ asRecorded, calls }] = calibration.rounds;
  assertEquals([asRecorded, calls, calibration.proven], [2, 3, false]);
});

Deno.test("calibratePlan compares every attempt of a `retry` step if it cannot evaluate the step's condition", async () => {
  const { calibration } = await calibrated(jobs(2), {
    edit(plan) {
      for (const { retry } of listSteps(plan.scenarios.recorded.flow)) {
        if (retry !== undefined) retry.until = "${result}";
      }
      return plan;
    },
  });
  assertEquals(calibration.calls.length, 3);
});

/** A recorded call: request line, start and end in milliseconds, and its cookies. */
interface Call {
  readonly request: string;
  readonly start: number;
  readonly end: number;
  readonly sends?: string;
  readonly sets?: string;
}

/**
 * Converts a recording of `calls`, and applies `edit` and `moveOverlapped` to the plan. Returns the
 * URLs of the plan's requests in order, and the list of moved requests.
 */
async function move(calls: readonly Call[], edit: (plan: Plan) => Plan = (plan) => plan) {
  const field = (name: string, value: string | undefined) => value ? [{ name, value }] : [];
  const entries = calls.map(({ request, start, end, sends, sets }) => {
    const [method, url] = request.split(" ");
    return {
      startedDateTime: new Date(1_790_000_000_000 + start).toISOString(),
      time: end - start,
      request: {
        method,
        url: new URL(url, "https://app.example").href,
        headers: field("Cookie", sends),
      },
      response: {
        status: 200,
        headers: field("Set-Cookie", sets),
        content: { mimeType: "text/html", text: "<p>ok" },
      },
    };
  });
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  const recording = await readHar([new TextEncoder().encode(har)], "session.har");
  const converted = convertHar(recording, {});
  const { plan, moved } = moveOverlapped(edit(converted.plan), recording);
  const urls = [...listRequests(plan.scenarios.recorded.flow)].map(({ url }) => url);
  return { urls, moved };
}

const LOGOUT: Call = {
  request: "GET /logout",
  start: 100,
  end: 240,
  sends: "session=old; lang=en",
  sets: "session=new; Path=/",
};
const BEACON: Call = { request: "POST /log", start: 103, end: 330, sends: "lang=en; session=old" };
const HOME_CALL: Call = { request: "GET /", start: 250, end: 300, sends: "session=new" };

Deno.test("moveOverlapped moves a request that was sent with an old cookie while an earlier request was in flight", async () => {
  assertEquals(await move([LOGOUT, BEACON, HOME_CALL]), {
    urls: ["/log", "/logout", "/"],
    moved: [{ index: 0, before: 1, ms: 3 }],
  });
});

Deno.test("moveOverlapped moves a request before all requests that were in flight when it was sent", async () => {
  const image: Call = { request: "GET /part", start: 101, end: 400 };
  const { urls, moved } = await move([LOGOUT, image, BEACON, HOME_CALL]);
  assertEquals(urls, ["/log", "/logout", "/part", "/"]);
  assertEquals(moved, [{ index: 0, before: 1, ms: 3 }]);
});

Deno.test("moveOverlapped also moves a request whose URL is on a subdomain or subpath that the cookie covers", async () => {
  const cookie = "session=new; Domain=app.example; Path=/app";
  const logout: Call = { ...LOGOUT, request: "GET /app/logout", sets: cookie };
  for (const request of ["POST https://eu.app.example/app/log", "POST /app/log"]) {
    assertEquals((await move([logout, { ...BEACON, request }])).moved.length, 1, request);
  }
});

Deno.test("moveOverlapped keeps the order of requests whose responses renew the cookie", async () => {
  const renewed = Array.from({ length: 6 }, (_, i): Call => ({
    request: `GET /part/${i}`,
    start: i * 10,
    end: i * 10 + 15,
    sends: `session=s${Math.max(0, i - 1)}`,
    sets: `session=s${i + 1}; Path=/`,
  }));
  const assets = Array.from({ length: 8 }, (_, i): Call => (
    { request: `GET /asset/${i}`, start: 100 + i, end: 200, sends: "session=s6" }
  ));
  const { urls, moved } = await move([...renewed, ...assets]);
  assertEquals([urls, moved], [[...renewed, ...assets].map(({ request }) => request.slice(4)), []]);
});

Deno.test("moveOverlapped moves a request before the one that deletes its cookie", async () => {
  const logout = { ...LOGOUT, sets: "session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970" };
  assertEquals((await move([logout, BEACON])).moved.length, 1);
});

const KEPT: Record<string, Call[]> = {
  "was sent after the response": [LOGOUT, { ...BEACON, start: 240 }],
  "was sent with the new cookie": [LOGOUT, { ...BEACON, sends: "session=new" }],
  "has no recorded cookies": [LOGOUT, { ...BEACON, sends: undefined }],
  "sends a cookie that the response did not change": [
    { ...LOGOUT, sets: "session=old" },
    BEACON,
  ],
  "sends a cookie that the earlier request did not send": [
    { ...LOGOUT, sends: "lang=en" },
    BEACON,
  ],
  "belongs to another host": [LOGOUT, { ...BEACON, request: "POST https://stats.example/log" }],
  "follows a request that had ended": [
    LOGOUT,
    { request: "GET /part", start: 101, end: 102 },
    BEACON,
  ],
};

for (const [name, calls] of Object.entries(KEPT)) {
  Deno.test(`moveOverlapped keeps the order if the later request ${name}`, async () => {
    assertEquals((await move(calls)).moved, []);
  });
}

Deno.test("moveOverlapped does not move a request before the one that extracts its variable", async () => {
  const extract = [{ type: "boundary", name: "id", left: "<p>", right: "k" }] as const;
  const withVariable = (plan: Plan): Plan => {
    const [logout, ...others] = plan.scenarios.recorded.flow.map(({ request }) => request!);
    const flow = [{ ...logout, extract }, ...others.map((one) => ({ ...one, url: "/${id}" }))]
      .map((request) => ({ request }));
    return { scenarios: { recorded: { ...plan.scenarios.recorded, flow } as never } };
  };
  assertEquals(await move([LOGOUT, BEACON], withVariable), {
    urls: ["/logout", "/${id}"],
    moved: [],
  });
});
