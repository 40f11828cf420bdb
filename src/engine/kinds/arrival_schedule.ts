import { Queue } from "../../base/queue.ts";
import type { Cancel } from "../clock/clock.ts";
import {
  AdjustedArrivals,
  Arrivals,
  EVEN,
  type Places,
  randomPlaces,
  type RateStage,
  type Timetable,
} from "./arrivals.ts";
import type { Executor, ExecutorContext } from "./executor.ts";
import type { ScenarioLoad } from "../load/load_control.ts";
import type { Vu } from "../vu/vu.ts";
import { partitionCount, wholeNumber } from "../../plan/partition.ts";

/**
 * Maximum time in ms for starting due iterations before the executor yields, so that timers,
 * signals and responses are handled.
 */
const MAX_TURN_MS = 20;

/** Keys of an open-model scenario that do not depend on its executor. */
export interface OpenKeys {
  readonly pre_allocated_vus: number;
  readonly max_vus?: number;
  readonly arrivals?: "even" | "poisson";
}

/**
 * Returns an open-model executor. It starts iterations at the rates of `stages`, regardless of how
 * fast the target responds.
 */
export function arrivalRate(stages: readonly RateStage[], keys: OpenKeys): Executor {
  const arrivals = new Arrivals(stages);
  return {
    durationMs: arrivals.durationMs,
    prepare: (context) => arrivalSchedule(arrivals, context, keys),
  };
}

/** Prepares a schedule. The returned function runs it. */
export function arrivalSchedule(
  planned: Timetable,
  context: ExecutorContext,
  keys: OpenKeys,
): () => Promise<void> {
  const schedule = new Schedule(planned, context, keys);
  return () => schedule.run();
}

class Schedule {
  /** Current schedule: the planned one until the rate is changed during the run. */
  #arrivals: Timetable;
  readonly #planned: Timetable;
  readonly #places: Places;
  #adjusted: AdjustedArrivals | undefined;
  #cancelWake: Cancel | undefined;
  readonly #context: ExecutorContext;
  readonly #maxVus: number;
  /**
   * VUs without a running iteration. They are used first in, first out, so that the load spreads
   * over all VUs and their connections.
   */
  readonly #idle = new Queue<Vu>();
  readonly #inFlight = new Set<Promise<void>>();
  #isRunning = false;
  #vus = 0;
  /** Number of iterations of this shard that were started or dropped. */
  #handled = 0;

  constructor(planned: Timetable, context: ExecutorContext, keys: OpenKeys) {
    const { pre_allocated_vus, max_vus = pre_allocated_vus } = keys;
    this.#arrivals = this.#planned = planned;
    this.#places = keys.arrivals === "poisson" ? randomPlaces(planned.count, context.seed) : EVEN;
    this.#context = context;
    this.#maxVus = partitionCount(max_vus, context.shard);
    const ready = Math.min(partitionCount(pre_allocated_vus, context.shard), this.#maxVus);
    for (let i = 0; i < ready; i++) this.#idle.push(this.#open());
    context.stats.setSchedule((time) => {
      const area = this.#arrivals.areaUntil(time - context.startsAt);
      const started = Math.min(this.#arrivals.count, this.#places.before(area));
      return partitionCount(started, context.shard);
    });
    context.onLoad((load) => this.#adjust(load));
  }

  async run(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#context.onStop(resolve);
      this.#isRunning = true;
      this.#startDue();
    });
    await Promise.all(this.#inFlight);
  }

  /** Starts all iterations that are due and schedules a wake-up for the next one. */
  #startDue = (): void => {
    const { clock, shard, startsAt, stopping } = this.#context;
    this.#cancelWake = undefined;
    if (stopping) return;
    let yieldAt = Infinity;
    for (;; this.#handled++) {
      const n = wholeNumber(this.#handled, shard);
      if (n >= this.#arrivals.count) return;
      const dueAt = startsAt + this.#arrivals.dueAt(this.#places.at(n));
      const now = clock.now();
      if (dueAt > now) return this.#wakeAt(dueAt);
      // If the machine cannot keep up with the rate, an iteration is always due.
      if (now > yieldAt) return this.#wakeAt(now);
      if (yieldAt === Infinity) yieldAt = now + MAX_TURN_MS;
      this.#start(n, dueAt, now);
    }
  };

  #wakeAt(time: number): void {
    this.#cancelWake = this.#context.clock.at(time, this.#startDue);
  }

  #adjust({ at, paused, rate }: ScenarioLoad): void {
    const { startsAt } = this.#context;
    this.#adjusted ??= new AdjustedArrivals(this.#planned);
    this.#adjusted.setFactor(at - startsAt, paused ? 0 : rate);
    this.#arrivals = this.#adjusted;
    if (!this.#isRunning) return;
    this.#cancelWake?.();
    this.#startDue();
  }

  #start(n: number, dueAt: number, now: number): void {
    const { stats } = this.#context;
    const vu = this.#idle.shift() ?? (this.#vus < this.#maxVus ? this.#open() : undefined);
    if (vu === undefined) return stats.drop();
    stats.late(now - dueAt);
    stats.enter();
    const iteration = this.#context.iterate(vu, dueAt, this.#arrivals.placeOf(n)).then(
      (continues) => {
        stats.leave();
        if (continues) this.#idle.push(vu);
        this.#inFlight.delete(iteration);
      },
    );
    this.#inFlight.add(iteration);
  }

  #open(): Vu {
    this.#vus++;
    return this.#context.openVu();
  }
}
