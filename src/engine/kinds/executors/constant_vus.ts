import { durationMs } from "../../../base/format.ts";
import { partitionCount } from "../../../plan/partition.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import type { Executor } from "./executor.ts";

/** `constant-vus` executor: a fixed number of VUs run iterations for a set duration. */
export function constantVus({ vus, duration }: ScenarioOf<"constant-vus">): Executor {
  return {
    durationMs: durationMs(duration)!,
    prepare(context): () => Promise<unknown> {
      const own = Array.from(
        { length: partitionCount(vus, context.shard) },
        () => context.openVu(),
      );
      return () => Promise.all(own.map((vu) => context.loop(vu, () => true)));
    },
  };
}
