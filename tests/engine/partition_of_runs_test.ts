import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Scenario } from "../../src/plan/kinds/executors.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../support/run_in_virtual_time.ts";

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
