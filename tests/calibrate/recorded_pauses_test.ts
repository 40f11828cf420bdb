import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibratedPlanText } from "../../src/cli/calibrate/calibration_text.ts";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { insertPauses } from "../../src/calibrate/flow_edits.ts";
import { findMissingPauses } from "../../src/calibrate/pause_trial.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { GivenPlan } from "../../src/calibrate/given_plan.ts";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { calibrateModel, explainedTextOf } from "../support/calibrated.ts";
import type { FakeSocket } from "../support/fake_socket.ts";
import { type CreateApp, ModelBrowser, type ModelResponse } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

// The model browser starts a call 980 ms after the end of the preceding one.
const PAUSE = 980;

interface Clock {
  now: number;
}

/**
 * An application that starts a flow `delay` ms after it responds to the request that deploys the
 * flow. `early` is the response to calls before the flow starts.
 */
function deployed(
  clock: Clock,
  delay: number,
  early: ModelResponse = { status: 404, json: { pressed: false } },
): CreateApp {
  return () => {
    let ready = Infinity;
    return ({ path }) => {
      if (path === "/deploy") {
        ready = clock.now + delay;
        return { json: { rev: "r" } };
      }
      return clock.now < ready ? early : { json: { pressed: true } };
    };
  };
}

/** A user who deploys a flow and then sends a request to it. */
function deploying(method: string): Model {
  return {
    create: () => () => ({ json: { pressed: true } }),
    use(browser) {
      browser.send("POST", "/deploy", { json: { nodes: 2 } });
      browser.send(method, "/press", method === "GET" ? {} : { json: {} });
    },
  };
}

const recorded: CreateApp = () => ({ path }) =>
  path === "/deploy" ? { json: { rev: "r" } } : { json: { pressed: true } };

const modelOf = (method: string): Model => ({ ...deploying(method), create: recorded });
const thinkTimes = (plan: Plan) =>
  plan.scenarios.recorded.flow.map(({ think_time, request }) => think_time ?? request?.url);

const CONSTANT = { type: "constant", duration: "980ms" } as const;

Deno.test("calibratePlan pauses before a write that fails without its recorded pause", async () => {
  const clock = { now: 0 };
  const found = await calibrateModel(modelOf("POST"), { live: deployed(clock, 200), clock });
  const { calibration, plan, waits, sent } = found;
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
  assertEquals(calibration.pauses, [
    {
      index: 1,
      ms: PAUSE,
      differences: [
        "status 404 instead of 200",
        "JSON value pressed: false instead of pressed: true",
      ],
    },
  ]);
  assertEquals(thinkTimes(plan), ["/deploy", CONSTANT, "/press"]);
  assertEquals(found.isValid, true);
  // Passes 1 and 2 without the pause, pass 3 with it. Then 2 users with 2 iterations: first with
  // the pause in one of them, then in both.
  assertEquals(waits, Array(1 + 2 + 4).fill(PAUSE));
  assertEquals(sent.length, 22);
  assertEquals(calibration.rounds.map(({ alternated }) => alternated), [
    ...Array(3).fill(undefined),
    true,
    undefined,
  ]);
  assertEquals(calibration.calls.map(({ kind }) => kind), ["as recorded", "repaired"]);
  const text = explainedTextOf(calibration);
  assertStringIncludes(text, "repaired: a pause of 980ms");
  assertStringIncludes(
    text,
    "Pause added (1)\n" +
      "  call 2: 980ms; without it: status 404 instead of 200; JSON value pressed: false instead of pressed: true\n",
  );
});

/**
 * An application in which a call to one of `paths` fails if it arrives less than 200 ms after the
 * preceding call.
 */
const slow = (paths: readonly string[], clock: Clock): CreateApp => () => {
  let ready = -Infinity;
  return ({ path }) => {
    const isEarly = paths.includes(path) && clock.now < ready;
    ready = clock.now + 200;
    return isEarly ? { status: 404, json: {} } : { json: { done: path } };
  };
};

for (const count of [2, 3]) {
  Deno.test(`calibratePlan confirms the pauses before ${count} writes`, async () => {
    const clock = { now: 0 };
    const paths = ["/a", "/b", "/c"].slice(0, count);
    const model: Model = {
      create: () => ({ path }) => ({ json: { done: path } }),
      use(browser) {
        for (const path of ["/deploy", ...paths]) browser.send("POST", path, { json: {} });
      },
    };
    const { calibration, plan } = await calibrateModel(model, { live: slow(paths, clock), clock });
    const text = explainedTextOf(calibration);
    assert(calibration.writes.sent <= calibration.writes.limit);
    if (count === 2) {
      assertEquals(calibration.proven, true, text);
      assertEquals(calibration.pauses.map(({ index }) => index), [1, 2]);
      return;
    }
    // The rounds do not suffice for the third write. A calibration of the result tries it again.
    assertEquals(calibration.proven, false, text);
    assertEquals(calibration.pauses.map(({ index }) => index), [1, 2]);
    assertEquals(thinkTimes(plan), ["/deploy", CONSTANT, "/a", CONSTANT, "/b", "/c"]);
    assertStringIncludes(
      text,
      "the last round was still trying pauses; calibrate the resulting plan again",
    );
  });
}

Deno.test("calibratePlan announces each wait", async () => {
  const clock = { now: 0 };
  const { progress } = await calibrateModel(modelOf("POST"), { live: deployed(clock, 200), clock });
  assertEquals(progress.slice(0, 4), [
    "pass 1",
    "pass 2",
    "pass 3",
    "  call 2: waiting 980ms (recorded pause)",
  ]);
});

Deno.test("the review page lists the pauses that a calibration added", async () => {
  const clock = { now: 0 };
  const browser = new ModelBrowser(recorded(1));
  deploying("POST").use(browser);
  const found = await calibrateModel(modelOf("POST"), { live: deployed(clock, 200), clock });
  const { notes } = calibrationReview(found, await browser.recording(), (text) => text);
  assertEquals(notes.map(({ kind, subject, message }) => [kind, subject, message]), [[
    "pause added",
    "request 2 (POST /press)",
    "980ms; without it: status 404 instead of 200; " +
    "JSON value pressed: false instead of pressed: true",
  ]]);
});

Deno.test("calibratePlan repeats a failed GET request, waiting at most as long as the recorded pause before it", async () => {
  const clock = { now: 0 };
  const found = await calibrateModel(modelOf("GET"), { live: deployed(clock, 300), clock });
  const { calibration, plan, waits, sent } = found;
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
  assertEquals(calibration.pauses.map(({ index, ms }) => [index, ms]), [[1, PAUSE]]);
  assertEquals(thinkTimes(plan), ["/deploy", CONSTANT, "/press"]);
  // Two repetitions in passes 1 to 3, then the pause in the other iterations.
  assertEquals(waits, [...Array(6).fill(245), ...Array(4).fill(PAUSE)]);
  assertEquals(sent.filter(({ path }) => path === "/press").length, waits.length + 3);
  const writes = sent.filter(({ path }) => path === "/deploy").length;
  assertEquals(writes, calibration.writes.sent);
});

Deno.test("calibratePlan adds a pause before a call whose response does not contain an extracted value yet", async () => {
  const clock = { now: 0 };
  const create = (live: Clock | undefined): CreateApp => (seed) => {
    let ready = Infinity;
    const id = `job${seed}7a9c3`;
    return ({ path }) => {
      if (path === "/deploy") {
        ready = (live?.now ?? -Infinity) + 700;
        return { json: { ok: true } };
      }
      if (path === "/jobs") {
        return { json: { jobs: (live?.now ?? 0) < ready ? [] : [{ key: id }] } };
      }
      return path === `/jobs/${id}` ? { json: { done: true } } : { status: 404, json: {} };
    };
  };
  const model: Model = {
    create: create(undefined),
    use(browser) {
      browser.send("POST", "/deploy", { json: { nodes: 2 } });
      const { jobs: [{ key }] } = JSON.parse(browser.send("GET", "/jobs").body);
      browser.send("GET", `/jobs/${key}`);
    },
  };
  const found = await calibrateModel(model, { live: create(clock), clock, start: "all" });
  assertEquals(found.calibration.proven, true, explainedTextOf(found.calibration));
  assertEquals(found.calibration.pauses, [{ index: 1, ms: PAUSE, differences: [] }]);
  assertEquals(found.calibration.removed, []);
  assertStringIncludes(
    explainedTextOf(found.calibration),
    "without it: an extractor found no value",
  );
});

for (const method of ["GET", "POST"]) {
  Deno.test(`calibratePlan does not add a pause before a ${method} that never succeeds`, async () => {
    const clock = { now: 0 };
    const found = await calibrateModel(modelOf(method), {
      live: deployed(clock, Infinity),
      clock,
    });
    const { calibration, plan, waits, sent } = found;
    assertEquals(calibration.proven, false);
    assertEquals(calibration.pauses, []);
    assertEquals(calibration.calls[1].kind, "refused");
    assertEquals(thinkTimes(plan), ["/deploy", "/press"]);
    assertStringIncludes(
      explainedTextOf(calibration),
      "the response still differs from the recording after a pause of 980ms",
    );
    // The waits add up to one recorded pause.
    assertEquals(waits.reduce((sum, ms) => sum + ms, 0), PAUSE, `${waits}`);
    const writes = sent.filter(({ method }) => method === "POST").length;
    assertEquals(writes, calibration.writes.sent);
    assert(writes <= calibration.writes.limit);
  });
}

for (const status of [429, 503]) {
  for (const method of ["GET", "POST"]) {
    Deno.test(`calibratePlan honors the Retry-After header of a ${status} response to a ${method} request instead of adding a pause`, async () => {
      const clock = { now: 0 };
      const early = { status, headers: { "Retry-After": "7" }, json: {} };
      const found = await calibrateModel(modelOf(method), {
        live: deployed(clock, 10_000, early),
        clock,
      });
      assertEquals(found.calibration.proven, true, explainedTextOf(found.calibration));
      assertEquals(found.calibration.pauses, []);
      assertEquals(new Set(found.waits), new Set([7_000]));
      assertEquals(thinkTimes(found.plan), ["/deploy", "/press"]);
    });
  }
}

Deno.test("calibratePlan reports a persistent rate limit instead of adding a pause", async () => {
  const clock = { now: 0 };
  const early = { status: 503, headers: { "Retry-After": "3" }, json: {} };
  const { calibration, waits } = await calibrateModel(modelOf("POST"), {
    live: deployed(clock, Infinity, early),
    clock,
  });
  assertEquals(calibration.pauses, []);
  assertEquals(new Set(waits), new Set([3_000]));
  assertStringIncludes(
    explainedTextOf(calibration),
    "rate limit (user 1, iteration 1): add pacing",
  );
});

Deno.test("calibratePlan removes a pause if the call after it still fails for the second user", async () => {
  const clock = { now: 0 };
  let deploys = 0;
  const live: CreateApp = () => {
    let ready = Infinity;
    return ({ path }) => {
      if (path === "/deploy") {
        ready = clock.now + (++deploys > 2 ? Infinity : 200);
        return { json: { rev: "r" } };
      }
      return clock.now < ready ? { status: 404, json: {} } : { json: { pressed: true } };
    };
  };
  const { calibration, plan } = await calibrateModel(modelOf("POST"), { live, clock });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.pauses, []);
  assertEquals(thinkTimes(plan), ["/deploy", "/press"]);
});

Deno.test("calibratePlan pauses before a write that fails only in rounds with two users", async () => {
  const clock = { now: 0 };
  let deploys = 0;
  const live: CreateApp = () => {
    let ready = Infinity;
    return ({ path }) => {
      if (path === "/deploy") {
        ready = clock.now + (++deploys > 1 ? 200 : 0);
        return { json: { rev: "r" } };
      }
      return clock.now < ready ? { status: 404, json: {} } : { json: { pressed: true } };
    };
  };
  const { calibration, plan } = await calibrateModel(modelOf("POST"), { live, clock });
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
  assertEquals(calibration.conflicts, []);
  assertEquals(thinkTimes(plan), ["/deploy", CONSTANT, "/press"]);
});

Deno.test("calibratePlan pauses before a write even if a preceding read differs for another reason", async () => {
  const clock = { now: 0 };
  const app = deployed(clock, 200)(2);
  const live: CreateApp = () => (request) =>
    request.path === "/tips" ? { json: { tip: "b" } } : app(request);
  const model: Model = {
    create: () => (request) =>
      request.path === "/tips" ? { json: { tip: "a", more: [] } } : recorded(1)(request),
    use(browser) {
      browser.send("GET", "/tips");
      deploying("POST").use(browser);
    },
  };
  const { calibration } = await calibrateModel(model, { live, clock });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.calls.map(({ kind }) => kind), ["refused", "as recorded", "repaired"]);
  assertEquals(calibration.pauses.map(({ index }) => index), [2]);
});

/** Moves all requests of a plan into a WebSocket, before a step that waits for a message. */
const inSocket = (plan: Plan): Plan => {
  const { recorded } = plan.scenarios;
  const condition = { type: "body_contains", value: "pressed" } as const;
  const steps = [...recorded.flow, { expect: { condition, timeout: "20ms" } }];
  recorded.flow = [{ websocket: { url: "ws://target.example:9090/live", steps } }];
  return plan;
};

/**
 * An application that starts a deployed flow after 200 ms. A request to `/press` after the start
 * triggers a WebSocket message. An earlier request gets only a response with `status`. If `isRace`
 * is true, flows that are deployed later start immediately.
 */
function pressing(clock: Clock, status: number, isRace: boolean) {
  const servers: FakeSocket[] = [];
  let deploys = 0;
  let ready = Infinity;
  const live: CreateApp = () => ({ path }) => {
    if (path === "/deploy") {
      ready = clock.now + (++deploys > 1 && isRace ? 0 : 200);
      return { json: { rev: "r" } };
    }
    if (clock.now >= ready) { for (const server of servers) server.reply("pressed"); }
    return clock.now < ready && status !== 200 ? { status, json: {} } : { json: { pressed: true } };
  };
  const socket = () => ({ onOpen: (opened: FakeSocket) => void servers.push(opened) });
  return { live, socket, clock, edit: inSocket };
}

Deno.test("calibratePlan reports a message that a WebSocket misses without a recorded pause", async () => {
  const { calibration, plan } = await calibrateModel(
    modelOf("POST"),
    pressing({ now: 0 }, 200, true),
  );
  assertEquals([calibration.proven, calibration.exceptState], [false, false]);
  assertEquals(calibration.pauses, []);
  assertEquals(calibration.calls.map(({ kind }) => kind), ["as recorded", "as recorded"]);
  assertEquals(calibration.socketFailure?.errors, [
    "WS ws://target.example:9090/live: no message with `body_contains value pressed` within 20ms",
  ]);
  assertEquals(plan.scenarios.recorded.flow[0].websocket!.steps[1].think_time, undefined);
});

Deno.test("calibratePlan attributes missing messages to the calls that failed without their pauses", async () => {
  const clock = { now: 0 };
  const { calibration } = await calibrateModel(modelOf("POST"), pressing(clock, 404, false));
  assertEquals(calibration.pauses.map(({ index }) => index), [1], explainedTextOf(calibration));
  assertEquals(calibration.socketFailure, undefined);
  assertEquals(calibration.proven, true, explainedTextOf(calibration));
});

Deno.test("calibratePlan adds no pause before a write that failed once", async () => {
  const clock = { now: 0 };
  const { calibration } = await calibrateModel(modelOf("POST"), pressing(clock, 404, true));
  assertEquals(calibration.proven, false, explainedTextOf(calibration));
  assertEquals(calibration.pauses, []);
  assertEquals(calibration.calls.map(({ kind }) => kind), ["as recorded", "random"]);
});

/**
 * Records calls with the given methods, 980 ms apart. Returns the pauses that are missing from the
 * converted flow after `edit` has changed it.
 */
async function missingPauses(methods: readonly string[], edit: (flow: Step[]) => void) {
  const browser = new ModelBrowser(recorded(1));
  for (const [i, method] of methods.entries()) browser.send(method, `/${i}`, { json: { i } });
  const recording = await browser.recording();
  const { plan } = convertHar(recording, { jsonOnly: true });
  edit(plan.scenarios.recorded.flow);
  const origins = { recorded: "http://a", target: "http://a" };
  const draft = new PlanDraft(
    new GivenPlan(plan),
    readRecordedSide(recording, new GivenPlan(plan), origins),
  );
  return [...findMissingPauses(plan, draft)];
}

Deno.test("findMissingPauses measures each pause from the last write, or from the preceding call if no write precedes it", async () => {
  const found = await missingPauses(["GET", "GET", "POST", "GET", "GET"], () => {});
  assertEquals(found, [[1, 980], [2, 980], [3, 980], [4, 1_980]]);
});

Deno.test("findMissingPauses subtracts the think times of the plan, and limits pauses to 30 s", async () => {
  const planned = await missingPauses(["POST", "GET", "GET", "GET"], (flow) => {
    flow.splice(2, 0, { think_time: { type: "uniform", min: "1s", max: "2s" } });
    flow.splice(1, 0, { think_time: { type: "gaussian", mean: "960ms", std_dev: "1s" } });
  });
  assertEquals(planned, [[3, 2_980 - 960 - 1_500]]);
  const calls = Array.from({ length: 40 }, (_, i) => i === 0 ? "POST" : "GET");
  assertEquals((await missingPauses(calls, () => {})).at(-1), [39, 30_000]);
});

const AS_TEXT = `# My plan
scenarios:
  recorded:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request: {method: POST, url: /deploy} # first
      # A comment about the press.
      - group:
          name: g
          steps:
            - request: {method: POST, url: /press} # second
            - request: {method: POST, url: /last} # third
`;

/**
 * Returns the text that `calibrate` writes for a plan after it adds pauses before the requests with
 * the given indexes.
 */
async function written(source: string, indexes: readonly number[]) {
  const { plan } = loadPlan(source);
  const { calibration } = await calibrateModel(modelOf("GET"));
  const pauses = indexes.map((index) => ({ index, ms: 1_500, differences: [] }));
  return calibratedPlanText({
    calibration: { ...calibration, pauses },
    plan: insertPauses(plan!, pauses),
    unpaused: plan!,
    edits: pauses.length,
  }, source);
}

Deno.test("calibratedPlanText adds a comment to each pause, and keeps the other comments", async () => {
  const { text, isKept } = await written(AS_TEXT, [1, 2]);
  assertEquals(isKept, true);
  const [, body] = text.split("# My plan\n");
  const why =
    "# calibrate: keep this recorded pause; without it, the next response differed from the recording.";
  const pause = (indent: string) =>
    `${indent}${why}\n${indent}- think_time:\n${indent}    type: constant\n${indent}    duration: "1.5s"\n`;
  assertEquals(
    body,
    AS_TEXT.replace("# My plan\n", "")
      .replace(
        "            - request: {method: POST, url: /press}",
        (text) => pause("            ") + text,
      )
      .replace(
        "            - request: {method: POST, url: /last}",
        (text) => pause("            ") + text,
      ),
  );
});

Deno.test("calibratedPlanText adds a pause with a comment to a CRLF plan, and a pause to a JSON plan", async () => {
  const crlf = await written(AS_TEXT.replaceAll("\n", "\r\n"), [1]);
  assertStringIncludes(
    crlf.text,
    "differed from the recording.\r\n            - think_time:\r\n",
  );
  assertEquals(/(?<!\r)\n/.test(crlf.text), false);
  const inFlow = JSON.stringify((loadPlan(AS_TEXT)).plan);
  const { text } = await written(inFlow, [1]);
  const { plan } = loadPlan(text);
  assertEquals(plan?.scenarios.recorded.flow[1].group?.steps[0].think_time, {
    type: "constant",
    duration: "1.5s",
  });
});

Deno.test("calibratedPlanText adds a pause after an existing one", async () => {
  const source = AS_TEXT.replace(
    "            - request: {method: POST, url: /last}",
    (text) => `            - think_time: 500ms # mine\n${text}`,
  );
  const { text } = await written(source, [2]);
  const { plan } = loadPlan(text);
  assertEquals(
    plan?.scenarios.recorded.flow[1].group?.steps.map(({ think_time }) => think_time),
    [undefined, "500ms", { type: "constant", duration: "1.5s" }, undefined],
  );
});
