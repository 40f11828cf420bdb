import { assertEquals, assertStringIncludes } from "@std/assert";
import { type LoadAction, LoadControl } from "../../../src/engine/kinds/load_control.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { runWarnings } from "../../../src/report/run_warnings.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../../support/run_in_virtual_time.ts";

const flow: Step[] = [{ request: { url: "/" } }];

/**
 * Runs a scenario and applies actions, keyed by time in ms. Returns the times of the requests and,
 * for each action, the reason if it was rejected.
 */
async function controlled(
  scenario: Scenario,
  actions: Readonly<Record<number, LoadAction>>,
  ms = 10,
) {
  const plan = singleScenarioPlan(scenario);
  const control = new LoadControl(plan);
  const reasons: (string | undefined)[] = [];
  const { summary, sent } = await runInVirtualTime(plan, {
    control,
    respond: () => ({ ms }),
    during: Object.fromEntries(
      Object.entries(actions).map((
        [time, action],
      ) => [time, () => reasons.push(control.apply(action))]),
    ),
  });
  return { summary, sentAt: sent.map(({ at }) => at), reasons, control };
}

const get = (path: string): Step[] => [{ request: { url: `/${path}` } }];

const perSecond = (times: readonly number[], seconds: number) =>
  Array.from(
    { length: seconds },
    (_, s) => times.filter((at) => at >= s * 1_000 && at < (s + 1) * 1_000).length,
  );

const RATE: Scenario = scenarioOf(
  "constant-arrival-rate, rate: 10, duration: 6s, pre_allocated_vus: 5",
  flow,
);

Deno.test("pause: no iterations are scheduled until resume, and the run ends as planned", async () => {
  const { summary, sentAt } = await controlled(RATE, {
    1_950: { action: "pause" },
    3_950: { action: "resume" },
  });
  assertEquals(perSecond(sentAt, 6), [10, 10, 0, 0, 10, 10]);
  assertEquals(summary.timeline.map(({ scheduled }) => scheduled), [10, 10, 0, 0, 10, 10]);
  assertEquals(summary.scenarios[0].dropped, 0);
  assertEquals(summary.changes?.map(({ at_ms, paused }) => [at_ms, paused]), [
    [1_950, true],
    [3_950, false],
  ]);
});

Deno.test("rate: a change to the arrival rate applies until the next change, and all shards combined start iterations at the same times as an unsharded run", async () => {
  const actions: Record<number, LoadAction> = {
    2_000: { action: "rate", factor: 2 },
    4_000: { action: "step", tenths: -15 },
  };
  const { sentAt, control } = await controlled(RATE, actions);
  assertEquals(perSecond(sentAt, 6), [10, 10, 20, 20, 5, 5]);
  assertEquals(control.state.rate, 0.5);
  const plan = singleScenarioPlan(RATE);
  const shards = await Promise.all([0, 1, 2].map(async (index) => {
    const control = new LoadControl(plan);
    const { sent } = await runInVirtualTime(plan, {
      control,
      respond: () => ({ ms: 10 }),
      shard: { index, of: 3 },
      during: Object.fromEntries(
        Object.entries(actions).map(([time, action]) => [time, () => control.apply(action)]),
      ),
    });
    return sent.map(({ at }) => at);
  }));
  assertEquals(shards.flat().sort((a, b) => a - b), sentAt);
});

Deno.test("rate: follows the stages of ramping-arrival-rate", async () => {
  const { sentAt, summary } = await controlled({
    executor: "ramping-arrival-rate",
    stages: [{ duration: "2s", target: 20 }, { duration: "2s", target: 20 }],
    pre_allocated_vus: 5,
    flow,
  }, { 2_000: { action: "rate", factor: 0.5 } });
  assertEquals(perSecond(sentAt, 4), [5, 15, 10, 10]);
  assertEquals(summary.scenarios[0].iterations, 40);
});

Deno.test("pause: VUs of closed models finish their iteration and wait", async () => {
  const { sentAt } = await controlled(
    { executor: "constant-vus", vus: 2, duration: "4s", flow },
    { 950: { action: "pause" }, 3_000: { action: "resume" } },
    100,
  );
  assertEquals(perSecond(sentAt, 4), [20, 0, 0, 20]);
});

Deno.test("pause: a paused ramp still ends, and its VUs stop without another iteration", async () => {
  const { sentAt, summary } = await controlled(
    {
      executor: "ramping-vus",
      start_vus: 4,
      stages: [{ duration: "2s", target: 4 }, { duration: "0s", target: 0 }],
      flow,
    },
    { 950: { action: "pause" } },
    100,
  );
  assertEquals(perSecond(sentAt, 2), [40, 0]);
  assertEquals(summary.duration_ms, 2_000);
});

const pacing = { iterations_per_second: 0.5 };
const PACED: Scenario = {
  executor: "constant-vus",
  vus: 5,
  duration: "8s",
  pacing,
  flow: get("a"),
};

/**
 * Runs the paced scenario `s` and the externally controlled scenario `x` while applying `actions`,
 * keyed by time in ms. Returns the requests per second of `s` and the times of the requests of `x`.
 */
async function paced(actions: Readonly<Record<number, LoadAction>>) {
  const x: Scenario = {
    executor: "externally-controlled",
    vus: 1,
    max_vus: 5,
    duration: "8s",
    pacing,
    flow: get("x"),
  };
  const plan = { ...singleScenarioPlan(PACED) };
  plan.scenarios = { ...plan.scenarios, x };
  const control = new LoadControl(plan);
  const { sent } = await runInVirtualTime(plan, {
    control,
    respond: () => ({ ms: 10 }),
    during: Object.fromEntries(
      Object.entries(actions).map(([time, action]) => [time, () => control.apply(action)]),
    ),
  });
  const times = (path: string) => sent.filter(({ target }) => target === path).map(({ at }) => at);
  return { a: perSecond(times("/a"), 8), x: times("/x") };
}

Deno.test("vus: a change does not shorten the pacing of VUs", async () => {
  const { a, x } = await paced({
    500: { action: "vus", scenario: "x", vus: 2 },
    600: { action: "vus", scenario: "x", vus: 1 },
    700: { action: "vus", scenario: "x", vus: 2 },
    800: { action: "vus", scenario: "x", vus: 0 },
    900: { action: "vus", scenario: "x", vus: 2 },
  });
  assertEquals(a, [5, 0, 5, 0, 5, 0, 5, 0]);
  assertEquals(x, [0, 500, 2_000, 2_500, 4_000, 4_500, 6_000, 6_500]);
});

Deno.test("pause: no iterations start, even if their pacing ends during the pause", async () => {
  const { a, x } = await paced({
    1_000: { action: "pause" },
    1_500: { action: "vus", scenario: "x", vus: 2 },
    4_500: { action: "resume" },
  });
  assertEquals(a, [5, 0, 0, 0, 5, 0, 5, 0]);
  assertEquals(x, [0, 4_500, 4_500, 6_500, 6_500]);
  const short = await paced({ 500: { action: "pause" }, 1_500: { action: "resume" } });
  assertEquals(short.a, [5, 0, 5, 0, 5, 0, 5, 0]);
});

Deno.test("pause: all iterations of a scenario with pacing are completed after resume", async () => {
  const { summary, sentAt } = await controlled(
    { executor: "shared-iterations", vus: 2, iterations: 6, max_duration: "1m", pacing, flow },
    { 500: { action: "pause" }, 3_000: { action: "resume" }, 3_100: { action: "step", tenths: 1 } },
  );
  assertEquals(summary.scenarios[0].iterations, 6);
  assertEquals(sentAt, [0, 0, 3_000, 3_000, 5_000, 5_000]);
});

Deno.test("pause: all shared iterations are completed after resume", async () => {
  const { summary } = await controlled(
    { executor: "shared-iterations", vus: 3, iterations: 50, flow },
    { 500: { action: "pause" }, 10_000: { action: "resume" } },
    100,
  );
  assertEquals(summary.scenarios[0].iterations, 50);
});

Deno.test("externally-controlled: runs the number of VUs that is set during the run", async () => {
  const { sentAt, summary, reasons } = await controlled(
    { executor: "externally-controlled", vus: 2, max_vus: 10, duration: "5s", flow },
    {
      1_000: { action: "vus", scenario: "s", vus: 10 },
      2_000: { action: "vus", scenario: "s", vus: 0 },
      3_000: { action: "step", tenths: 3 },
      3_500: { action: "vus", scenario: "s", vus: 11 },
      3_600: { action: "vus", scenario: "other", vus: 1 },
      3_700: { action: "rate", factor: 2 },
      4_000: { action: "vus", scenario: "s", vus: 1 },
    },
    100,
  );
  assertEquals(perSecond(sentAt, 5), [20, 100, 0, 30, 10]);
  assertEquals(summary.scenarios[0].max_vus, 10);
  assertEquals(reasons.map(Boolean), [false, false, false, true, true, true, false]);
  assertStringIncludes(reasons[3]!, "from 0 to 10");
});

Deno.test("the summary reports changes to the load", async () => {
  const { summary } = await controlled(RATE, {
    1_000: { action: "step", tenths: 1 },
    2_000: { action: "pause" },
  });
  const [{ text }] = runWarnings(summary);
  assertEquals(
    text,
    "the load was changed during the run and differs from the plan: rate 110% at 1s; paused at 2s",
  );
});

Deno.test("an action that leaves the load unchanged does not count as a change", async () => {
  const open = await controlled(RATE, {
    1_000: { action: "resume" },
    2_000: { action: "rate", factor: 1 },
    3_000: { action: "step", tenths: 0 },
  });
  assertEquals(open.reasons, [undefined, undefined, undefined]);
  assertEquals(open.summary.changes, undefined);
  const { summary } = await controlled(
    { executor: "externally-controlled", vus: 2, max_vus: 3, duration: "5s", flow },
    {
      1_000: { action: "vus", scenario: "s", vus: 2 },
      2_000: { action: "step", tenths: 1 },
      3_000: { action: "step", tenths: 1 },
      4_000: { action: "vus", scenario: "s", vus: 3 },
    },
    100,
  );
  assertEquals(summary.changes?.map(({ at_ms }) => at_ms), [2_000]);
});

Deno.test("after: a scenario starts when all iterations of another have ended", async () => {
  const plan: Plan = {
    defaults: { http: { base_url: "http://t" } },
    scenarios: {
      last: scenarioOf("constant-vus, vus: 1, duration: 1s, after: second", get("last")),
      first: { executor: "per-vu-iterations", vus: 2, iterations: 3, flow: get("first") },
      second: {
        executor: "constant-arrival-rate",
        rate: 2,
        duration: "2s",
        pre_allocated_vus: 2,
        after: "first",
        start_time: "1s",
        flow: get("second"),
      },
    },
  };
  const states: string[] = [];
  const { sent, summary } = await runInVirtualTime(plan, {
    respond: () => ({ ms: 400 }),
    onTick: ({ scenarios }) => states.push(scenarios.map(({ state }) => state[0]).join("")),
  });
  const starts = Map.groupBy(sent, ({ target }) => target.slice(1));
  assertEquals(
    [...starts].map(([name, all]) => [name, all.length, all[0].at]),
    [["first", 6, 0], ["second", 4, 2_200], ["last", 3, 4_200]],
  );
  assertEquals(summary.duration_ms, 5_400);
  // In the order of the plan: waiting, running or ended.
  assertEquals(states, ["wrw", "wew", "wer", "wer", "ree"]);
});
