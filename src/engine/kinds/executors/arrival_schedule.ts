import { Queue } from "../../../base/queue.ts";
import { partitionCount, wholeNumber } from "../../../plan/partition.ts";
import { Arrivals, type RateStage } from "./arrivals.ts";
import type { Vu } from "../../vu/vu.ts";
import type { Executor, ExecutorContext } from "./executor.ts";

/**
 * Maximum time in ms for starting due iterations before the executor yields, so that timers,
 * signals and responses are handled.
 */
const MAX_TURN_MS = 20;

/** Limits on the number of VUs of an open-model scenario. */
export interface VuLimits {
  readonly pre_allocated_vus: number;
  readonly max_vus?: number;
}

/**
 * Returns an open-model executor. It starts iterations at the rates of `stages`, regardless of how
 * fast the target responds.
 */
export function arrivalRate(stages: readonly RateStage[], limits: VuLimits): Executor {
  const arrivals = new Arrivals(stages);
  return {
    durationMs: arrivals.durationMs,
    prepare(context): () => Promise<void> {
      const schedule = new Schedule(arrivals, context, limits);
      return () => schedule.run();
    },
  };
}

class Schedule {
  readonly #arrivals: Arrivals;
  readonly #context: ExecutorContext;
  readonly #maxVus: number;
  /**
   * VUs without a running iteration. They are used first in, first out, so that the load spreads
   * over all VUs and their connections.
   */
  readonly #idle = new Queue<Vu>();
  readonly #inFlight = new Set<Promise<void>>();
  #vus = 0;
  /** Number of iterations of this shard that were started or dropped. */
  #handled = 0;

  constructor(arrivals: Arrivals, context: ExecutorContext, limits: VuLimits) {
    const { pre_allocated_vus, max_vus = pre_allocated_vus } = limits;
    this.#arrivals = arrivals;
    this.#context = context;
    this.#maxVus = partitionCount(max_vus, context.shard);
    const ready = Math.min(partitionCount(pre_allocated_vus, context.shard), this.#maxVus);
    for (let i = 0; i < ready; i++) this.#idle.push(this.#open());
    context.stats.setSchedule((time) =>
      partitionCount(arrivals.countUntil(time - context.startsAt), context.shard)
    );
  }

  async run(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#context.onStop(resolve);
      this.#startDue();
    });
    await Promise.all(this.#inFlight);
  }

  /** Starts all iterations that are due and schedules a wake-up for the next one. */
  #startDue = (): void => {
    const { clock, shard, startsAt, stopping } = this.#context;
    if (stopping) return;
    let yieldAt = Infinity;
    for (;; this.#handled++) {
      const n = wholeNumber(this.#handled, shard);
      if (n >= this.#arrivals.count) return;
      const dueAt = startsAt + this.#arrivals.dueAt(n);
      const now = clock.now();
      if (dueAt > now) return void clock.at(dueAt, this.#startDue);
      // If the machine cannot keep up with the rate, an iteration is always due.
      if (now > yieldAt) return void clock.at(now, this.#startDue);
      if (yieldAt === Infinity) yieldAt = now + MAX_TURN_MS;
      this.#start(dueAt, now);
    }
  };

  #start(dueAt: number, now: number): void {
    const { stats } = this.#context;
    const vu = this.#idle.shift() ?? (this.#vus < this.#maxVus ? this.#open() : undefined);
    if (vu === undefined) return stats.drop();
    stats.late(now - dueAt);
    stats.enter();
    const iteration = this.#context.iterate(vu, dueAt).then((continues) => {
      stats.leave();
      if (continues) this.#idle.push(vu);
      this.#inFlight.delete(iteration);
    });
    this.#inFlight.add(iteration);
  }

  #open(): Vu {
    this.#vus++;
    return this.#context.openVu();
  }
}
