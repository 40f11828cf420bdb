import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { calibratedPlanText, calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
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

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, true);

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
  assertEquals(calibration.proven, true, textOf(calibration));
  assertEquals(plan.scenarios.recorded.flow[1].request?.extract, [
    { type: "jsonpath", name: "key", expression: "$.key" },
  ]);
  assertEquals(plan.scenarios.recorded.flow[2].request?.url, "/results/${key}");
  assertEquals(calibration.uncompared, [
    { index: 1, name: "GET /events", what: "events before the last one" },
  ]);
  assertStringIncludes(
    textOf(calibration),
    "Not compared (1)\n  call 2: events before the last one\n",
  );
  assertMatch(textOf(calibration), /^proven against .*; not compared: events of streams$/m);
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
  assertEquals(calibration.calls[1].kind, "refused", textOf(calibration));
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
  assertEquals(calibration.proven, true, textOf(calibration));
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
  assertEquals(calibration.proven, true, textOf(calibration));
  const { text } = calibratedPlanText(found, found.text);
  assertMatch(
    text,
    /^# Calibrated against .* for 2 users in 2 iterations; not compared: WebSocket messages\.$/m,
  );
  // Opening a WebSocket counts as a write.
  assertEquals(calibration.writes, { sent: 6, limit: 23 + 16 });
  assertEquals(calibration.rounds.map(({ sockets }) => [sockets?.sessions, sockets?.failed]), [
    [1, 0],
    [1, 0],
    [4, 0],
  ]);
  assertStringIncludes(
    textOf(calibration),
    "Not compared (1)\n  WS ws://target.example:9090/live: messages\n",
  );
  assertMatch(
    textOf(calibration),
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
    assertEquals(calibration.proven, false, textOf(calibration));
    assertEquals(calibration.exceptState, false);
    assertEquals(calibration.calls.map(({ kind }) => kind), ["as recorded"]);
    assertEquals(calibration.socketFailure?.round, round);
    assertStringIncludes(textOf(calibration), ` in ${round}: WS ws://target.example:9090/live: `);
    assertStringIncludes(textOf(calibration), "overloaded");
    assertMatch(textOf(calibration), /^not proven against .*\(WebSockets failed\)$/m);
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
  assertStringIncludes(textOf(calibration), "the server did not open it");
});
