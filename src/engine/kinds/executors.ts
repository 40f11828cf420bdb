import { type Duration, durationMs } from "../../base/format.ts";
import { Queue } from "../../base/queue.ts";
import type { ExecutorKind, Scenario, ScenarioOf } from "../../plan/kinds/executors.ts";
import { partitionCount, type Shard, wholeNumber } from "../../plan/partition.ts";
import type { ScenarioStats } from "../metrics/recorder.ts";
import type { Cancel, Clock } from "../vu/clock.ts";
import type { Place, Vu } from "../vu/vu.ts";
import type { ScenarioLoad } from "./load_control.ts";
import {
  AdjustedArrivals,
  Arrivals,
  EVEN,
  type Places,
  randomPlaces,
  type RateStage,
  recordedTimetable,
  type Timetable,
} from "./arrivals.ts";

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
  /** Reads a file that the plan names. Throws InputError if the file cannot be read. */
  readonly readFile: (path: string) => Uint8Array;
  /**
   * True if no more iterations may start, because the schedule has ended or the run is stopping.
   */
  readonly stopping: boolean;
  onStop(listener: () => void): void;
  /** Calls `listener` when the user changes the load. `loop` pauses VUs itself. */
  onLoad(listener: (load: ScenarioLoad) => void): void;
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
  /** Duration of the schedule in milliseconds. No iteration starts after it. */
  readonly durationMs: number;
  /**
   * Prepares a run of the scenario. Executors with a fixed number of VUs create their VUs in this
   * method, before the start. The returned function runs the schedule, and its promise resolves
   * after the last iteration.
   */
  prepare(context: ExecutorContext): () => Promise<unknown>;
}

const EXECUTORS: { readonly [E in ExecutorKind]: (scenario: ScenarioOf<E>) => Executor } = {
  "constant-vus": ({ vus, duration }) =>
    fixedVus(duration, (shard) => ({ count: partitionCount(vus, shard), more: () => true })),
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
  "per-vu-iterations": ({ vus, iterations, max_duration = "10m" }) =>
    fixedVus(max_duration, (shard) => ({
      count: partitionCount(vus, shard),
      more: (vu) => vu.iteration < iterations - 1,
    })),
  "shared-iterations": ({ vus, iterations, max_duration = "10m" }) =>
    fixedVus(max_duration, (shard) => {
      // A shard with iterations but without VUs gets one VU.
      let left = partitionCount(iterations, shard);
      const count = Math.min(left, Math.max(1, partitionCount(vus, shard)));
      return { count, more: () => left-- > 0 };
    }),
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
  "recorded-arrivals": (scenario) => ({
    durationMs: durationMs(scenario.duration)!,
    prepare: (context) => prepareSchedule(recordedTimetable(scenario, context), context, scenario),
  }),
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

export function createExecutor(scenario: Scenario): Executor {
  return create(scenario.executor, scenario);
}

function create<E extends ExecutorKind>(name: E, scenario: ScenarioOf<E>): Executor {
  return EXECUTORS[name](scenario);
}

function fixedVus(
  duration: Duration,
  plan: (shard: Shard) => { readonly count: number; readonly more: (vu: Vu) => boolean },
): Executor {
  return {
    durationMs: durationMs(duration)!,
    prepare(context): () => Promise<unknown> {
      const { count, more } = plan(context.shard);
      const own = Array.from({ length: count }, () => context.openVu());
      return () => Promise.all(own.map((vu) => context.loop(vu, () => more(vu))));
    },
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

/** The number of VUs becomes `vus` at `time`, in ms after the start of the scenario. */
interface VuChange {
  readonly time: number;
  readonly vus: number;
}

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

  /** `graceMs` is the time that a VU has to finish its iteration. */
  constructor(context: ExecutorContext, graceMs: number) {
    this.#context = context;
    this.#graceMs = graceMs;
  }

  /** Sets the number of running VUs at `dueAt`. The VUs added last stop first. */
  set(vus: number, dueAt: number): void {
    if (this.#context.stopping) return;
    while (this.#vus.length < vus) this.#vus.push(this.#open());
    this.#vus.forEach((state, i) => i < vus ? this.#want(state, dueAt) : this.#release(state));
  }

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

/** Maximum time in ms for starting iterations before timers and responses are handled. */
const MAX_TURN_MS = 20;

interface OpenKeys {
  readonly pre_allocated_vus: number;
  readonly max_vus?: number;
  readonly arrivals?: "even" | "poisson";
}

function arrivalRate(stages: readonly RateStage[], keys: OpenKeys): Executor {
  const arrivals = new Arrivals(stages);
  return {
    durationMs: arrivals.durationMs,
    prepare: (context) => prepareSchedule(arrivals, context, keys),
  };
}

function prepareSchedule(planned: Timetable, context: ExecutorContext, keys: OpenKeys) {
  const schedule = new ArrivalSchedule(planned, context, keys);
  return () => schedule.run();
}

class ArrivalSchedule {
  /** Current schedule: the planned one until the rate is changed during the run. */
  #arrivals: Timetable;
  readonly #planned: Timetable;
  readonly #places: Places;
  #adjusted: AdjustedArrivals | undefined;
  #cancelWake: Cancel | undefined;
  readonly #context: ExecutorContext;
  readonly #maxVus: number;
  /** First in, first out, so that the load spreads over all VUs and their connections. */
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
    context.stats.setSchedule((time) => this.#dueBy(time));
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

  #startDue = (): void => {
    const { clock, shard, startsAt, stopping } = this.#context;
    this.#cancelWake = undefined;
    if (stopping) return;
    let yieldAt = Infinity;
    for (;;) {
      const n = wholeNumber(this.#handled, shard);
      if (n >= this.#arrivals.count) return;
      const dueAt = startsAt + this.#arrivals.dueAt(this.#places.at(n));
      const now = clock.now();
      if (dueAt > now) return this.#wakeAt(dueAt);
      // If the machine cannot keep up with the rate, an iteration is always due.
      if (now > yieldAt) return this.#wakeAt(now);
      if (yieldAt === Infinity) yieldAt = now + MAX_TURN_MS;
      if (this.#start(n, dueAt, now)) {
        this.#handled++;
        continue;
      }
      this.#drop(now);
      yieldAt = 0; // No VU becomes free before responses are handled.
    }
  };

  /** Returns how many iterations of this shard are due by `time`. */
  #dueBy(time: number): number {
    const area = this.#arrivals.areaUntil(time - this.#context.startsAt);
    const due = Math.min(this.#arrivals.count, this.#places.before(area));
    return partitionCount(due, this.#context.shard);
  }

  /** Drops all iterations that are due by `now`. */
  #drop(now: number): void {
    const due = Math.max(this.#handled + 1, this.#dueBy(now));
    this.#context.stats.drop(due - this.#handled);
    this.#handled = due;
  }

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

  /** Starts iteration `n`. Returns false if no VU is free. */
  #start(n: number, dueAt: number, now: number): boolean {
    const { stats } = this.#context;
    const vu = this.#idle.shift() ?? (this.#vus < this.#maxVus ? this.#open() : undefined);
    if (vu === undefined) return false;
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
    return true;
  }

  #open(): Vu {
    this.#vus++;
    return this.#context.openVu();
  }
}
