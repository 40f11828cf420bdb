import { Queue } from "../../base/queue.ts";
import { partitionCount, type Shard, wholeNumber } from "../../plan/partition.ts";
import type { Cancel, Clock } from "../clock/clock.ts";
import type { ScenarioLoad } from "../load/load_control.ts";
import type { ScenarioStats } from "../metrics/scenario_stats.ts";
import type { Place, Vu } from "../vu/vu.ts";
import {
  AdjustedArrivals,
  Arrivals,
  EVEN,
  type Places,
  randomPlaces,
  type RateStage,
  type Timetable,
} from "./arrivals.ts";

/** Context in which an executor runs one scenario, or one shard of it. */
export interface ExecutorContext {
  readonly clock: Clock;
  /**
   * Start time of the scenario, in milliseconds on `clock`; Infinity while the start is unknown.
   */
  readonly startsAt: number;
  readonly shard: Shard;
  readonly stats: ScenarioStats;
  /** Seed for the random times of starts. It is the same in all shards of a run. */
  readonly seed: number;
  /**
   * Reads a file that the plan names. Throws InputError if the file cannot be read.
   */
  readonly readFile: (path: string) => Uint8Array;
  /**
   * True if no more iterations may start, because the schedule has ended or the run is stopping.
   */
  readonly stopping: boolean;
  /** Calls `listener` when `stopping` becomes true. */
  onStop(listener: () => void): void;
  /**
   * Calls `listener` when the user changes the load during the run. The listener need not pause VUs
   * that run in `loop`, because `loop` pauses them itself.
   */
  onLoad(listener: (load: ScenarioLoad) => void): void;
  /** Creates the next VU of this shard. */
  openVu(): Vu;
  /**
   * Runs one iteration in an open model. `dueAt` is its scheduled start in clock time, and `place`
   * is its place in the whole schedule. Resolves to false if the VU must not run any more
   * iterations.
   */
  iterate(vu: Vu, dueAt: number, place: Place): Promise<boolean>;
  /**
   * Runs iterations in a closed model, one after another, as long as `more` returns true. Calls
   * `more` once before each iteration. Also calls `isWanted` before each iteration, and when the VU
   * is woken between two iterations. If `isWanted` returns false, the VU ends without another
   * iteration. The VU counts as active until the returned promise resolves. `dueAt` is the planned
   * start of the VU in clock time (default: the start of the scenario).
   */
  loop(vu: Vu, more: () => boolean, isWanted?: () => boolean, dueAt?: number): Promise<void>;
}

/** Schedules the iterations of a scenario. */
export interface Executor {
  /**
   * Duration of the schedule in milliseconds, from the start of the scenario. No iteration starts
   * after the schedule ends.
   */
  readonly durationMs: number;
  /**
   * Prepares a run of the scenario. Executors with a fixed number of VUs create their VUs in this
   * method, before the start. The returned function runs the schedule, and its promise resolves
   * after the last iteration.
   */
  prepare(context: ExecutorContext): () => Promise<unknown>;
}

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
