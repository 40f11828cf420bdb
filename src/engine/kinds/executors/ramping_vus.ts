import { durationMs } from "../../../base/duration.ts";
import { partitionCount } from "../../../plan/partition.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors/executors.ts";
import type { Cancel } from "../../clock/clock.ts";
import type { Vu } from "../../vu/vu.ts";
import type { Executor, ExecutorContext } from "./executor.ts";

/** VU of a `ramping-vus` scenario and its state. */
interface RampSlot {
  readonly vu: Vu;
  wanted: boolean;
  running: Promise<void> | undefined;
  cut: Cancel | undefined;
}

/** Runs VUs whose number changes linearly in each stage. */
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
  const ramp = new Ramp(context, graceMs);
  for (const { time, vus } of changes) {
    context.clock.at(context.startsAt + time, () => ramp.set(partitionCount(vus, context.shard)));
  }
  await new Promise<void>((resolve) => context.onStop(resolve));
  await ramp.ended();
}

class Ramp {
  readonly #context: ExecutorContext;
  readonly #graceMs: number;
  readonly #slots: RampSlot[] = [];

  constructor(context: ExecutorContext, graceMs: number) {
    this.#context = context;
    this.#graceMs = graceMs;
  }

  /**
   * Sets the number of running VUs. When the number decreases, the VUs that were added last stop
   * first.
   */
  set(vus: number): void {
    if (this.#context.stopping) return;
    while (this.#slots.length < vus) this.#slots.push(this.#open());
    this.#slots.forEach((slot, i) => i < vus ? this.#want(slot) : this.#release(slot));
  }

  async ended(): Promise<void> {
    await Promise.all(this.#slots.map(({ running }) => running));
  }

  #open(): RampSlot {
    return { vu: this.#context.openVu(), wanted: false, running: undefined, cut: undefined };
  }

  #want(slot: RampSlot): void {
    slot.cut?.();
    slot.cut = undefined;
    slot.wanted = true;
    slot.running ??= this.#context.loop(slot.vu, () => slot.wanted).finally(() => {
      slot.running = undefined;
    });
  }

  #release(slot: RampSlot): void {
    if (!slot.wanted) return;
    slot.wanted = false;
    if (slot.running === undefined) return;
    slot.vu.wakeIdle();
    const { clock } = this.#context;
    slot.cut = clock.at(clock.now() + this.#graceMs, () => slot.vu.cancel());
  }
}

/**
 * Number of VUs that run from `time` (ms after the start of the scenario) until the next change.
 */
interface VuChange {
  readonly time: number;
  readonly vus: number;
}

/**
 * Returns the times at which the number of VUs of a ramp changes. It changes when the linear ramp
 * reaches the next whole number, up or down.
 */
export function vuChanges(
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
