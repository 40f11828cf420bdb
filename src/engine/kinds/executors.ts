import { durationMs } from "../../base/format.ts";
import type { Cancel } from "../clock/clock.ts";
import { arrivalRate, type Executor, type ExecutorContext } from "./arrival_schedule.ts";
import { recordedArrivals } from "./recorded_arrivals.ts";
import type { Vu } from "../vu/vu.ts";
import type { ExecutorKind, Scenario, ScenarioOf } from "../../plan/kinds/executors.ts";
import { partitionCount } from "../../plan/partition.ts";

const EXECUTORS: { readonly [E in ExecutorKind]: (scenario: ScenarioOf<E>) => Executor } = {
  "constant-vus"({ vus, duration }) {
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
  },
  "ramping-vus"(scenario) {
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
  },
  "per-vu-iterations"(scenario) {
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
  },
  "shared-iterations"(scenario) {
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
  },
  "constant-arrival-rate"(scenario) {
    const perMs = scenario.rate / durationMs(scenario.time_unit ?? "1s")!;
    const stage = { durationMs: durationMs(scenario.duration)!, from: perMs, to: perMs };
    return arrivalRate([stage], scenario);
  },
  "ramping-arrival-rate"(scenario) {
    const unit = durationMs(scenario.time_unit ?? "1s")!;
    let from = (scenario.start_rate ?? 0) / unit;
    const stages = scenario.stages.map(({ duration, target }) => {
      const stage = { durationMs: durationMs(duration)!, from, to: target / unit };
      from = stage.to;
      return stage;
    });
    return arrivalRate(stages, scenario);
  },
  "recorded-arrivals": recordedArrivals,
  "externally-controlled"({ vus, duration, graceful_ramp_down = "30s" }) {
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
  },
};

/** Creates the executor whose name is `scenario.executor`. */
export function createExecutor(scenario: Scenario): Executor {
  return create(scenario.executor, scenario);
}

function create<E extends ExecutorKind>(name: E, scenario: ScenarioOf<E>): Executor {
  return EXECUTORS[name](scenario);
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

interface PooledVu {
  readonly vu: Vu;
  wanted: boolean;
  running: Promise<void> | undefined;
  cut: Cancel | undefined;
}

/** Pool of VUs for a closed model in which the number of running VUs changes during the run. */
class VuPool {
  readonly #context: ExecutorContext;
  readonly #graceMs: number;
  readonly #vus: PooledVu[] = [];

  /**
   * Creates an empty pool. `graceMs` is the time in ms that a VU has to finish its iteration after
   * the number of VUs has been reduced.
   */
  constructor(context: ExecutorContext, graceMs: number) {
    this.#context = context;
    this.#graceMs = graceMs;
  }

  /**
   * Sets the number of running VUs. If the number decreases, the most recently added VUs stop
   * first. `dueAt` is the planned time of the change, in clock time.
   */
  set(vus: number, dueAt: number): void {
    if (this.#context.stopping) return;
    while (this.#vus.length < vus) this.#vus.push(this.#open());
    this.#vus.forEach((state, i) => i < vus ? this.#want(state, dueAt) : this.#release(state));
  }

  /** Waits until every VU has finished its last iteration. */
  async ended(): Promise<void> {
    await Promise.all(this.#vus.map(({ running }) => running));
  }

  #open(): PooledVu {
    return { vu: this.#context.openVu(), wanted: false, running: undefined, cut: undefined };
  }

  #want(state: PooledVu, dueAt: number): void {
    state.cut?.();
    state.cut = undefined;
    state.wanted = true;
    const isWanted = () => state.wanted;
    state.running ??= this.#context.loop(state.vu, () => true, isWanted, dueAt).finally(() => {
      state.running = undefined;
    });
  }

  #release(state: PooledVu): void {
    if (!state.wanted) return;
    state.wanted = false;
    if (state.running === undefined) return;
    state.vu.wakeIdle();
    const { clock } = this.#context;
    state.cut = clock.at(clock.now() + this.#graceMs, () => state.vu.cancel());
  }
}
