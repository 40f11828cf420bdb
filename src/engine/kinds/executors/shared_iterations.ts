import { durationMs } from "../../../base/format.ts";
import { partitionCount } from "../../../plan/partition.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import type { Executor } from "./executor.ts";

/**
 * `shared-iterations` executor: the VUs together run a fixed number of iterations. The next free VU
 * runs the next iteration.
 */
export function sharedIterations(scenario: ScenarioOf<"shared-iterations">): Executor {
  const { vus, iterations, max_duration = "10m" } = scenario;
  return {
    durationMs: durationMs(max_duration)!,
    prepare(context): () => Promise<unknown> {
      // A shard with iterations but without VUs gets one VU.
      let left = partitionCount(iterations, context.shard);
      const count = Math.min(left, Math.max(1, partitionCount(vus, context.shard)));
      const own = Array.from({ length: count }, () => context.openVu());
      return () => Promise.all(own.map((vu) => context.loop(vu, () => left-- > 0)));
    },
  };
}
