import { durationMs } from "../../../base/format.ts";
import { partitionCount } from "../../../plan/partition.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import type { Executor } from "./executor.ts";

/** `per-vu-iterations` executor: each VU runs a fixed number of iterations. */
export function perVuIterations(scenario: ScenarioOf<"per-vu-iterations">): Executor {
  const { vus, iterations, max_duration = "10m" } = scenario;
  return {
    durationMs: durationMs(max_duration)!,
    prepare(context): () => Promise<unknown> {
      const own = Array.from(
        { length: partitionCount(vus, context.shard) },
        () => context.openVu(),
      );
      return () =>
        Promise.all(own.map((vu) => context.loop(vu, () => vu.iteration < iterations - 1)));
    },
  };
}
