import { durationMs } from "../../../base/format.ts";
import { partitionCount } from "../../../plan/partition.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import type { Executor } from "./executor.ts";
import { VuPool } from "./vu_pool.ts";

/** `externally-controlled` executor: the user changes the number of VUs during the run. */
export function externallyControlled(
  { vus, duration, graceful_ramp_down = "30s" }: ScenarioOf<"externally-controlled">,
): Executor {
  const graceMs = durationMs(graceful_ramp_down)!;
  return {
    durationMs: durationMs(duration)!,
    prepare(context): () => Promise<unknown> {
      const pool = new VuPool(context, graceMs);
      let wanted = vus;
      let isRunning = false;
      const apply = (dueAt: number) => pool.set(partitionCount(wanted, context.shard), dueAt);
      context.onLoad((load) => {
        wanted = load.vus ?? vus;
        if (isRunning) apply(load.at);
      });
      return async () => {
        isRunning = true;
        apply(context.startsAt);
        await new Promise<void>((resolve) => context.onStop(resolve));
        await pool.ended();
      };
    },
  };
}
