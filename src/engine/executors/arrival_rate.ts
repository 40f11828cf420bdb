import { durationMs } from "../../base/duration.ts";
import { Queue } from "../../base/queue.ts";
import { partitionCount, wholeNumber } from "../../plan/partition.ts";
import type { ScenarioOf } from "../../plan/schema/scenario.ts";
import { Arrivals, type RateStage } from "../arrivals.ts";
import type { Vu } from "../flow/vu.ts";
import type { Executor, ExecutorContext } from "./executor.ts";

/** Time after which starting iterations gives way to timers, signals and responses. */
const MAX_TURN_MS = 20;

/** The VUs that an open-model scenario has. */
interface VuLimits {
  readonly pre_allocated_vus: number;
  readonly max_vus?: number;
}

/** Iterations start at a fixed rate, whatever the target does. */
export function constantArrivalRate(scenario: ScenarioOf<"constant-arrival-rate">): Executor {
  const perMs = scenario.rate / durationMs(scenario.time_unit ?? "1s")!;
  const stage = { durationMs: durationMs(scenario.duration)!, from: perMs, to: perMs };
  return arrivalRate([stage], scenario);
}

/** Iterations start at a rate that moves in straight lines from stage to stage. */
export function rampingArrivalRate(scenario: ScenarioOf<"ramping-arrival-rate">): Executor {
  const unit = durationMs(scenario.time_unit ?? "1s")!;
  let from = (scenario.start_rate ?? 0) / unit;
  const stages = scenario.stages.map(({ duration, target }) => {
    const stage = { durationMs: durationMs(duration)!, from, to: target / unit };
    from = stage.to;
    return stage;
  });
  return arrivalRate(stages, scenario);
}

function arrivalRate(stages: readonly RateStage[], limits: VuLimits): Executor {
  const arrivals = new Arrivals(stages);
  return {
    durationMs: arrivals.durationMs,
    prepare(playing): () => Promise<void> {
      const schedule = new Schedule(arrivals, playing, limits);
      return () => schedule.play();
    },
  };
}

class Schedule {
  readonly #arrivals: Arrivals;
  readonly #playing: ExecutorContext;
  readonly #maxVus: number;
  /** First in, first out, so that load spreads over all VUs and their connections. */
  readonly #idle = new Queue<Vu>();
  readonly #inFlight = new Set<Promise<void>>();
  #vus = 0;
  /** Starts of this share made so far. */
  #made = 0;

  constructor(arrivals: Arrivals, playing: ExecutorContext, limits: VuLimits) {
    const { pre_allocated_vus, max_vus = pre_allocated_vus } = limits;
    this.#arrivals = arrivals;
    this.#playing = playing;
    this.#maxVus = partitionCount(max_vus, playing.share);
    const ready = Math.min(partitionCount(pre_allocated_vus, playing.share), this.#maxVus);
    for (let i = 0; i < ready; i++) this.#idle.push(this.#open());
    playing.stats.scheduledUntil = (time) =>
      partitionCount(arrivals.countUntil(time - playing.startsAt), playing.share);
  }

  async play(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#playing.onStop(resolve);
      this.#startDue();
    });
    await Promise.all(this.#inFlight);
  }

  /** Starts all iterations that are due, and schedules the next. */
  #startDue = (): void => {
    const { clock, share, startsAt, stopping } = this.#playing;
    if (stopping) return;
    let giveWayAt = Infinity;
    for (;; this.#made++) {
      const n = wholeNumber(this.#made, share);
      if (n >= this.#arrivals.count) return;
      const dueAt = startsAt + this.#arrivals.dueAt(n);
      const now = clock.now();
      if (dueAt > now) return void clock.at(dueAt, this.#startDue);
      // At a rate that this machine cannot keep, something is always due.
      if (now > giveWayAt) return void clock.at(now, this.#startDue);
      if (giveWayAt === Infinity) giveWayAt = now + MAX_TURN_MS;
      this.#start(dueAt, now);
    }
  };

  #start(dueAt: number, now: number): void {
    const { stats } = this.#playing;
    const vu = this.#idle.shift() ?? (this.#vus < this.#maxVus ? this.#open() : undefined);
    if (vu === undefined) return stats.drop();
    stats.late(now - dueAt);
    stats.enter();
    const iteration = this.#playing.iterate(vu, dueAt).then((plays) => {
      stats.leave();
      if (plays) this.#idle.push(vu);
      this.#inFlight.delete(iteration);
    });
    this.#inFlight.add(iteration);
  }

  #open(): Vu {
    this.#vus++;
    return this.#playing.openVu();
  }
}
