import {
  assert,
  assertEquals,
  assertNotEquals,
  assertObjectMatch,
  assertRejects,
} from "@std/assert";
import fc, { ANY_CHARACTER, COSTLY } from "fast-check";
import { InputError, RunError } from "../../src/base/errors.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { LoadControl } from "../../src/engine/kinds/load_control.ts";
import { mergeSummaries } from "../../src/engine/metrics/merge_summaries.ts";
import type { Sample } from "../../src/engine/metrics/snapshot.ts";
import type { Progress } from "../../src/engine/progress.ts";
import { run } from "../../src/engine/run_plan.ts";
import { ShardRunner } from "../../src/engine/shard_runner.ts";
import type { ScenarioSummary } from "../../src/engine/summary/summary.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import type { Scenario } from "../../src/plan/kinds/executors.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { parseShard, WHOLE } from "../../src/plan/partition.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { editedJson, jsonEdits } from "../builders/json_edits.ts";
import { FakeSender } from "../support/fake_sender.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
  type TestRunOptions,
} from "../support/run_in_virtual_time.ts";
import { VirtualClock } from "../support/virtual_clock.ts";

const GET: Step = { request: { url: "/" } };
const PASSES = { thresholds: { http_reqs: ["count>=0"] } };
const slowly: TestRunOptions = { respond: () => ({ ms: 1_000 }) };

async function outcome(scenario: Scenario, options?: TestRunOptions) {
  const { summary } = await runInVirtualTime(singleScenarioPlan(scenario, PASSES), options);
  const [first] = summary.scenarios;
  return { summary, counts: counts(first), incomplete: summary.incomplete };
}

function counts({ planned, started, iterations, dropped, ended }: ScenarioSummary) {
  return { planned, started, iterations, dropped, ended };
}

const SHARED: Scenario = {
  executor: "shared-iterations",
  vus: 2,
  iterations: 1_000,
  max_duration: "9s",
  flow: [GET],
};

Deno.test("a run is incomplete if max_duration ends a scenario early", async () => {
  const shared = await outcome(SHARED, slowly);
  assertEquals(shared.counts, {
    planned: 1_000,
    started: 18,
    iterations: 18,
    dropped: 982,
    ended: "time",
  });
  assertEquals(shared.summary.metrics.dropped_iterations, { count: 982, rate: 982 / 9 });
  assertEquals(shared.incomplete, [
    "scenario s: only 18 of 1,000 planned iterations started (1.80%)",
  ]);
  assertEquals(shared.summary.passed, null);
  const dropped: Sample[] = [];
  await outcome(SHARED, {
    ...slowly,
    outputs: [{
      samples: ({ samples }) =>
        dropped.push(...samples.filter(({ type }) => type === "dropped_iteration")),
      close: () => Promise.reject(new Error("not called")),
    }],
  });
  assertEquals(dropped.map((sample) => "value" in sample && sample.value), [982]);
  const perVu = await outcome(
    { executor: "per-vu-iterations", vus: 2, iterations: 10, max_duration: "3s", flow: [GET] },
    slowly,
  );
  assertEquals(perVu.counts, {
    planned: 20,
    started: 6,
    iterations: 6,
    dropped: 14,
    ended: "time",
  });
});

Deno.test("a run is incomplete if an assertion aborts a scenario", async () => {
  const flow: Step[] = [{
    request: {
      url: "/",
      assert: [{ type: "status", equals: 200, on_failure: "abort_scenario" }],
    },
  }];
  const { counts, incomplete } = await outcome(
    { executor: "shared-iterations", vus: 1, iterations: 500, flow },
    { respond: () => ({ status: 500 }) },
  );
  assertEquals(counts, { planned: 500, started: 1, iterations: 1, dropped: 499, ended: "aborted" });
  assertEquals(incomplete, [
    "scenario s: an assertion aborted it; only 1 of 500 planned iterations started (0.20%)",
  ]);
});

Deno.test("a run is incomplete if a scenario sends none of its requests", async () => {
  const plan = singleScenarioPlan({ ...SHARED, iterations: 2 });
  const silent: Scenario = {
    ...SHARED,
    iterations: 2,
    flow: [{ if: { condition: { var: "no", exists: true }, then: [GET] } }],
  };
  const { summary } = await runInVirtualTime({
    ...plan,
    scenarios: { ...plan.scenarios, silent, idle: { ...silent, flow: [{ think_time: "1s" }] } },
  });
  assertEquals(summary.incomplete, ["scenario silent: no request was sent"]);
});

Deno.test("an open model counts what it planned, started and dropped", async () => {
  const rate: Scenario = {
    executor: "constant-arrival-rate",
    rate: 10,
    duration: "10s",
    pre_allocated_vus: 5,
    flow: [GET],
  };
  const { counts, incomplete } = await outcome(rate, { respond: () => ({ ms: 950 }) });
  assertEquals(counts, {
    planned: 100,
    started: 50,
    iterations: 50,
    dropped: 50,
    ended: "finished",
  });
  assertEquals(incomplete, [
    "scenario s: only 50 of 100 planned iterations started (50.00%)",
  ]);
  const fast = await outcome(rate);
  assertEquals([fast.counts.started, fast.incomplete], [100, undefined]);
});

Deno.test("a run that is stopped or whose data run out counts no dropped iterations", async () => {
  const stop = new AbortController();
  const stopped = await outcome(SHARED, {
    ...slowly,
    stop: stop.signal,
    during: { 2_500: () => stop.abort() },
  });
  assertEquals([stopped.counts.dropped, stopped.counts.ended], [0, "stopped"]);
  assertEquals(stopped.incomplete, undefined);
  for (const mode of ["shared", "per_vu"] as const) {
    const rows = [{ id: 1 }];
    const data = { d: { type: "inline", rows, on_eof: "stop", mode } as const };
    const flow: Step[] = [{ request: { url: "/${data.d.id}" } }];
    const plan = singleScenarioPlan({ ...SHARED, flow }, { ...PASSES, data });
    const { summary } = await runInVirtualTime(plan);
    assertEquals([summary.scenarios[0].dropped, summary.scenarios[0].ended], [0, "data"]);
    assertEquals([summary.incomplete, summary.passed], [undefined, true]);
  }
});

Deno.test("a run whose load the user changed is not incomplete", async () => {
  const rate: Scenario = {
    executor: "constant-arrival-rate",
    rate: 10,
    duration: "10s",
    pre_allocated_vus: 5,
    flow: [GET],
  };
  for (const scenario of [rate, { ...SHARED, max_duration: "3s" }] satisfies Scenario[]) {
    const plan = singleScenarioPlan(scenario, PASSES);
    const control = new LoadControl(plan);
    const { summary } = await runInVirtualTime(plan, {
      control,
      during: { 1_000: () => void control.apply({ action: "pause" }) },
    });
    assertEquals([summary.changes?.length, summary.incomplete, summary.passed], [
      1,
      undefined,
      true,
    ]);
  }
});

Deno.test("shards add up what they planned and started", async () => {
  const shards = await Promise.all([0, 1].map(async (index) => {
    const shard = { index, of: 2 };
    const plan = singleScenarioPlan(SHARED, PASSES);
    return (await runInVirtualTime(plan, { ...slowly, shard })).summary;
  }));
  assertEquals(shards.map(({ incomplete }) => incomplete), [undefined, undefined]);
  const merged = mergeSummaries(shards);
  assertEquals(counts(merged.scenarios[0]), {
    planned: 1_000,
    started: 18,
    iterations: 18,
    dropped: 982,
    ended: "time",
  });
  assertEquals(merged.passed, null);
});

const PLAN = new URL("../../testdata/plans/every_key.yaml", import.meta.url);

const everyKey = Deno.readTextFileSync(PLAN);
const lines = everyKey.split("\n");
const snippet = fc.constantFrom(
  ...[
    ...["&a", "*a", "*home", "!!str", "<<: *home", "- ", "? ", ": ", "{", "}", "[", "]", "\t", "|"],
    ...[">", "%"],
  ],
  ...[
    ...["__proto__: {}", "toString: {}", "constructor: 1", "---\n", "...", '"', "'", "\0"],
    ...["\ud800", "\x85"],
  ],
  ...["${", "$${", "}", "null", ".nan", "1e999", "0x", "~", "executor: x", "type: json", "flow:"],
);
const mutated = fc.array(
  fc.tuple(fc.nat(lines.length - 1), fc.oneof(snippet, fc.string()), fc.constantFrom(0, 1, 2, 3)),
  { maxLength: 4 },
).map((edits) => {
  const text = [...lines];
  for (const [line, insert, how] of edits) {
    const before = text[line] ?? "";
    const colon = before.indexOf(":") + 1;
    text[line] = [before + insert, insert, before.slice(0, colon) + " " + insert, ""][how];
  }
  return text.join("\n");
});

/** Generates strings and bytes that are almost plans, almost YAML, or noise. */
const planNoise: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  mutated,
  fc.string({ unit: ANY_CHARACTER }),
  fc.array(snippet).map((parts) => parts.join("")),
  fc.uint8Array({ maxLength: 200 }),
);

/**
 * Loads a string as a plan. If that fails, asserts that each error has a position and a message.
 */
function loadedOrExplained(
  source: string | Uint8Array,
): Plan | undefined {
  const { plan, diagnostics } = loadPlan(source);
  assertEquals(plan === undefined, diagnostics.some(({ severity }) => severity === "error"));
  for (const { line, column, message } of diagnostics) {
    assert(line >= 1 && column >= 1 && message !== "" && !message.includes("Invalid input"));
  }
  return plan;
}

const folder = new URL("../../testdata/plans/", import.meta.url);
const texts = ["every_key.yaml", "login.yaml", "quick.yaml"].map((name) =>
  JSON.stringify(parseYaml(Deno.readTextFileSync(new URL(name, folder))))
);
const edited = fc.tuple(fc.constantFrom(...texts), jsonEdits)
  .map(([text, edits]) => editedJson(text, edits));

Deno.test("any text is loaded and compiled as a plan, or rejected with positions", () =>
  fc.assert(
    fc.property(fc.oneof(planNoise, edited), (source) => {
      const plan = loadedOrExplained(source);
      if (plan !== undefined) assertCompiles(plan);
    }),
    COSTLY,
  ));

function assertCompiles(plan: Plan): void {
  const clock = new VirtualClock();
  try {
    const player = new ShardRunner(plan, {
      clock,
      sender: new FakeSender(clock),
      shard: WHOLE,
      seed: 1,
      dataSeed: 1,
      readFile: () => new TextEncoder().encode("id,name\n7,Ada\n"),
      readEnv: () => "x",
    });
    assert(player.plannedMs >= 0);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
}

const ID = "9007199254740993";

/** A plan whose setup logs in and whose teardown logs out. */
function planWithSetup(more: Partial<Plan> = {}): Plan {
  return singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 3, iterations: 2", [{
      request: { url: "/use/${setup.token}/${setup.user.id + 1}" },
    }]),
    {
      setup: [
        {
          request: {
            url: "/login",
            extract: [{ type: "jsonpath", name: "user", expression: "$.user" }],
          },
        },
        { set: { token: "t-${user.name}" } },
      ],
      teardown: [{ request: { url: "/logout/${setup.token}" } }],
      ...more,
    },
  );
}

const respond = () => ({ status: 200, body: `{"user":{"id":${ID},"name":"Ada"}}` });

Deno.test("setup and teardown run once, and all VUs can read the variables that setup sets", async () => {
  const { sent, summary } = await runInVirtualTime(planWithSetup(), { respond });
  const use = `/use/t-Ada/${BigInt(ID) + 1n}`;
  assertEquals(sent.map(({ target }) => target), [
    "/login",
    ...Array(6).fill(use),
    "/logout/t-Ada",
  ]);
  assertObjectMatch(summary.metrics.http_reqs, { count: 6 });
  assertEquals(summary.scenarios.map(({ name, iterations }) => [name, iterations]), [["s", 6]]);
  assertEquals(summary.failure, undefined);
});

Deno.test("a failed setup ends the run before it generates load", async () => {
  for (
    const [response, message] of [
      [{ status: 500, body: "{}" }, "set up"],
      [{ status: 200, body: "{}" }, 'no value found for the variable "user"'],
    ] as const
  ) {
    const sent: string[] = [];
    const options = {
      respond: ({ target }: { target: string }) => {
        sent.push(target);
        return response;
      },
    };
    await assertRejects(
      () => runInVirtualTime(planWithSetup(), options),
      RunError,
      message === "set up" ? "the setup failed, so no load was generated: GET /login" : message,
    );
    assertEquals(sent, ["/login"]);
  }
});

Deno.test("a failed teardown fails the run and keeps its summary", async () => {
  const { summary } = await runInVirtualTime(planWithSetup(), {
    respond: ({ target }) => target.startsWith("/logout") ? { status: 503 } : respond(),
  });
  assertEquals(summary.failure, "the teardown failed");
  assertEquals(summary.passed, false);
  assertEquals(summary.errors, [{
    kind: "assert",
    scenario: "teardown",
    name: "GET /logout/${setup.token}",
    count: 1,
    message: "status 503",
  }]);
});

Deno.test("teardown runs after an interrupted run, but not after a killed one", async () => {
  const plan = planWithSetup();
  const scenario = { executor: "constant-vus", vus: 1, duration: "10s" } as const;
  const long: Plan = { ...plan, scenarios: { s: { ...scenario, flow: [{ think_time: "1s" }] } } };
  for (const signal of ["stop", "kill"] as const) {
    const abort = new AbortController();
    const { sent } = await runInVirtualTime(long, {
      respond,
      [signal]: abort.signal,
      during: { 2500: () => abort.abort() },
    });
    const expected = signal === "stop" ? ["/login", "/logout/t-Ada"] : ["/login"];
    assertEquals(sent.map(({ target }) => target), expected, signal);
  }
});

Deno.test("worker threads receive every digit of the numbers that setup extracts", async () => {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    seen.push(new URL(request.url).pathname);
    return new Response(respond().body);
  });
  const base_url = `http://127.0.0.1:${server.addr.port}`;
  await run(planWithSetup({ defaults: { http: { base_url } } }), {
    workers: 2,
    network: networkOptions({}, () => ""),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  await server.shutdown();
  assertEquals([seen[0], seen.at(-1)], ["/login", "/logout/t-Ada"]);
  assertEquals(seen.slice(1, -1), Array(6).fill(`/use/t-Ada/${BigInt(ID) + 1n}`));
});

const flow: Step[] = [{ request: { url: "/${vu}/${data.rows.id}" } }];
const enough = { pre_allocated_vus: 60, flow };
const stages = fc.array(
  fc.record({ duration: fc.integer({ min: 0, max: 4 }), target: fc.nat(12) }),
  { minLength: 1, maxLength: 3 },
);

const scenarios: fc.Arbitrary<Scenario> = fc.oneof(
  fc.record({ vus: fc.integer({ min: 1, max: 9 }), iterations: fc.integer({ min: 1, max: 9 }) })
    .map((keys): Scenario => ({ executor: "per-vu-iterations", ...keys, flow })),
  fc.record({ vus: fc.integer({ min: 1, max: 9 }), iterations: fc.integer({ min: 1, max: 40 }) })
    .map((keys): Scenario => ({ executor: "shared-iterations", ...keys, flow })),
  fc.record({ vus: fc.integer({ min: 1, max: 9 }), duration: fc.integer({ min: 1, max: 3 }) })
    .map((keys): Scenario => ({ executor: "constant-vus", ...keys, flow })),
  fc.record({ start_vus: fc.nat(9), stages })
    .map((keys): Scenario => ({ executor: "ramping-vus", ...keys, flow })),
  fc.record({ rate: fc.integer({ min: 1, max: 30 }), duration: fc.integer({ min: 1, max: 3 }) })
    .map((keys): Scenario => ({ executor: "constant-arrival-rate", ...keys, ...enough })),
  fc.record({ start_rate: fc.nat(12), stages })
    .map((keys): Scenario => ({ executor: "ramping-arrival-rate", ...keys, ...enough })),
);

/**
 * Runs all `of` shards of a plan. Returns the time of each request and the VU that sent it. Omits
 * the VU in open models, where any VU may run an iteration, and both for shared iterations.
 */
async function traffic(plan: Plan, of: number): Promise<string[]> {
  const { executor } = plan.scenarios.s;
  const isOpen = executor.endsWith("arrival-rate");
  const sent: string[] = [];
  for (let index = 0; index < of; index++) {
    const outcome = await runInVirtualTime(plan, {
      shard: { index, of },
      respond: () => ({ ms: 137 }),
    });
    for (const { at, target } of outcome.sent) {
      const [, vu] = target.split("/");
      sent.push(executor === "shared-iterations" ? "" : `${at.toFixed(6)} ${isOpen ? "" : vu}`);
    }
  }
  return sent.sort();
}

const data = { rows: { type: "inline" as const, rows: [{ id: 1 }, { id: 2 }, { id: 3 }] } };

Deno.test("shards: the shards of a random plan together send the same requests as the unsharded plan", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, fc.integer({ min: 2, max: 4 }), async (scenario, of) => {
      const plan = singleScenarioPlan(scenario, { data });
      assertEquals(await traffic(plan, of), await traffic(plan, 1));
    }),
    COSTLY,
  );
});

Deno.test("shards: all shards together use each row of shared data exactly once", async () => {
  for (const pick of ["sequential", "shuffle"] as const) {
    const rows = Array.from({ length: 25 }, (_, id) => ({ id }));
    const plan = singleScenarioPlan(
      scenarioOf("shared-iterations, vus: 30, iterations: 100", [{
        request: { url: "/${data.d.id}" },
      }]),
      { data: { d: { type: "inline", rows, pick, on_eof: "stop" } } },
    );
    const used: number[] = [];
    for (let index = 0; index < 3; index++) {
      const { sent, summary } = await runInVirtualTime(plan, { shard: { index, of: 3 } });
      used.push(...sent.map(({ target }) => Number(target.slice(1))));
      assertEquals(summary.scenarios[0].iterations, sent.length);
    }
    assertEquals(used.sort((a, b) => a - b), [...rows.keys()]);
  }
});

Deno.test("shards: all shards together use each row of shuffled data exactly once, with a given or random seed", async () => {
  const rows = Array.from({ length: 60 }, (_, id) => ({ id }));
  const plan = singleScenarioPlan(
    { executor: "shared-iterations", vus: 4, iterations: 60, flow },
    { data: { rows: { type: "inline", rows, pick: "shuffle", on_eof: "stop" } } },
  );
  const rowsWith = async (seeds: readonly (number | undefined)[]) => {
    const orders = await Promise.all(
      seeds.map((seed, index) =>
        runInVirtualTime(plan, { shard: { index, of: seeds.length }, seed })
      ),
    );
    const used = orders.flatMap(({ sent }) => sent.map(({ target }) => target.split("/")[2]));
    return { used, distinct: new Set(used).size, seeds: orders.map((o) => o.summary.data_seed) };
  };
  for (const seeds of [[undefined, undefined, undefined], [7, 7]]) {
    const { distinct, seeds: recorded } = await rowsWith(seeds);
    assertEquals(distinct, 60);
    assertEquals(new Set(recorded).size, 1);
    assert(recorded[0] !== null);
  }
  // Different seeds give different orders, as the summaries show.
  assertEquals(new Set((await rowsWith([7, 8])).seeds).size, 2);
  // A whole run chooses its order at random.
  const [one, two] = [await rowsWith([undefined]), await rowsWith([undefined])];
  assertNotEquals(one.used, two.used);
});

Deno.test("plan hash: depends on the plan and its data files, but not on overlays or outputs", async () => {
  const csv: Plan = singleScenarioPlan(
    { executor: "shared-iterations", vus: 1, iterations: 1, flow },
    { data: { rows: { type: "csv", path: "rows.csv" } } },
  );
  const hash = async (plan: Plan, rows = "id\n1\n") =>
    (await runInVirtualTime(plan, { files: { "rows.csv": rows } })).summary.plan_hash;
  const usual = await hash(csv);
  assertEquals(await hash({ ...csv, env: { staging: {} } }), usual);
  assertEquals(await hash({ ...csv, outputs: [{ type: "json", path: "x" }] as never }), usual);
  assertNotEquals(await hash(csv, "id\n2\n"), usual);
  assertNotEquals(await hash({ ...csv, name: "other" }), usual);
  assertNotEquals(await hash({ ...csv, defaults: { http: { base_url: "http://u" } } }), usual);
});

const pausedFlow = [{ request: { url: "/" } }, { think_time: "490ms" }];

/** Runs the scenarios and returns the progress at the end of each second. */
async function progressOf(
  scenarios: Record<string, Scenario>,
  options: Parameters<typeof runInVirtualTime>[1] = {},
): Promise<Progress[]> {
  const all: Progress[] = [];
  await runInVirtualTime({
    name: "test",
    defaults: { http: { base_url: "http://t" } },
    thresholds: { http_reqs: ["count>=6"], "http_req_duration{name:none}": ["p(95)<1"] },
    scenarios,
  }, { ...options, onTick: (progress) => all.push(progress) });
  return all;
}

const states = (all: readonly Progress[], name: string) =>
  all.slice(0, 3).map(({ scenarios }) => {
    const { state, done } = scenarios.find((scenario) => scenario.name === name)!;
    return `${state} ${done}`;
  });

Deno.test("progress: follows the schedule of scenarios with a duration", async () => {
  const all = await progressOf({
    now: { executor: "constant-vus", vus: 1, duration: "2s", flow: pausedFlow },
    later: { executor: "constant-vus", vus: 2, duration: "2s", start_time: "2s", flow: pausedFlow },
  });
  assertEquals(states(all, "now"), ["running 0.5", "running 1", "ended 1"]);
  assertEquals(states(all, "later"), ["waiting 0", "running 0", "running 0.5"]);
  assertEquals(all.slice(0, 3).map(({ done }) => done), [0.25, 0.5, 0.75]);
  assertEquals(all[0].plannedMs, 4_000);
});

Deno.test("progress: counts only the iterations of this shard", async () => {
  const scenarios: Record<string, Scenario> = {
    s: { executor: "shared-iterations", vus: 2, iterations: 20, flow: pausedFlow },
  };
  const whole = await progressOf(scenarios);
  assertEquals(whole.map(({ done }) => done).slice(0, 3), [0.1, 0.3, 0.5]);
  const [half] = await progressOf(scenarios, { shard: parseShard("1/2") });
  assertEquals([half.done, half.scenarios[0].iterations], [0.1, 1]);
});

Deno.test("progress: evaluates thresholds and computes percentiles for the run so far", async () => {
  const all = await progressOf(
    { s: { executor: "constant-vus", vus: 2, duration: "3s", flow: pausedFlow } },
    { respond: (_, n) => ({ ms: n < 4 ? 100 : 10 }) },
  );
  assertEquals(
    all.map(({ thresholds }) => thresholds.map(({ passed, value }) => [passed, value])),
    [
      [[false, 4], [null, null]],
      [[true, 8], [null, null]],
      [[true, 12], [null, null]],
    ],
  );
  const { p50, p95, p99 } = all[1].times;
  assertEquals([p50, p95, p99].map(Math.round), [10, 100, 100]);
});
