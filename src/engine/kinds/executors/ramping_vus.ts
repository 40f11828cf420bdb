import { durationMs } from "../../../base/format.ts";
import { partitionCount } from "../../../plan/partition.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import type { Executor, ExecutorContext } from "./executor.ts";
import { VuPool } from "./vu_pool.ts";

/** `ramping-vus` executor: the number of VUs changes linearly in each stage. */
export function rampingVus(scenario: ScenarioOf<"ramping-vus">): Executor {
  const stages = scenario.stages.map(({ duration, target }) => ({
    durationMs: durationMs(duration)!,
    target,
  }));
  const changes = vuChanges(scenario.start_vus ?? 0, stages);
  const graceMs = durationMs(scenario.graceful_ramp_down ?? "30s")!;
  return {
    durationMs: stages.reduce((sum, stage) => sum + stage.durationMs, 0),
    prepare: (context) => () => ramp(context, changes, graceMs),
  };
}

async function ramp(context: ExecutorContext, changes: readonly VuChange[], graceMs: number) {
  const pool = new VuPool(context, graceMs);
  for (const { time, vus } of changes) {
    const dueAt = context.startsAt + time;
    context.clock.at(dueAt, () => pool.set(partitionCount(vus, context.shard), dueAt));
  }
  await new Promise<void>((resolve) => context.onStop(resolve));
  await pool.ended();
}

/**
 * Change in the number of VUs: the number becomes `vus` at `time`, in ms after the start of the
 * scenario.
 */
interface VuChange {
  readonly time: number;
  readonly vus: number;
}

/**
 * Returns the changes in the number of VUs during a linear ramp. The number changes each time the
 * ramp (up or down) reaches the next whole number.
 */
function vuChanges(
  startVus: number,
  stages: readonly { readonly durationMs: number; readonly target: number }[],
): VuChange[] {
  const changes: VuChange[] = [{ time: 0, vus: startVus }];
  let [time, vus] = [0, startVus];
  for (const { durationMs, target } of stages) {
    const steps = durationMs > 0 ? Math.abs(target - vus) : Math.min(1, Math.abs(target - vus));
    for (let i = 1; i <= steps; i++) {
      const reached = Math.round(vus + (target - vus) * i / steps);
      changes.push({ time: time + durationMs * i / steps, vus: reached });
    }
    [time, vus] = [time + durationMs, target];
  }
  return changes;
}
