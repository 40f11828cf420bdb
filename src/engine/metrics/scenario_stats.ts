import { Histogram } from "../../base/histogram.ts";
import { type SampleBuffer, wallTime } from "./sample.ts";
import type { Counter, MetricSet, Tags, Trend } from "./metrics.ts";
import type { ScenarioEnd } from "../summary/codes.ts";
import type { ScenarioCounts, ScenarioData } from "./snapshot.ts";

/** Counts the iterations and VUs of a scenario. The scenario's executor updates the counts. */
export class ScenarioStats {
  readonly #name: string;
  readonly #executor: string;
  readonly #ended: readonly Counter[];
  readonly #durations: readonly Trend[];
  readonly #dropped: readonly Counter[];
  readonly #samples: SampleBuffer | undefined;
  #iterations = 0;
  #interrupted = 0;
  #vus = 0;
  #mostVus = 0;
  #lastVus = 0;
  /** Longest delay in ms from the planned to the actual start of a VU of a closed model. */
  #startDelayMs = 0;
  #unstartedVus = 0;
  /** Number of iterations started. */
  started = 0;
  /** Number of planned iterations that were dropped, that is, did not start. */
  dropped = 0;
  /** Number of iterations that a closed model plans; Infinity if there is no limit. */
  limit: number = Infinity;
  #end: ScenarioEnd | undefined;
  /** Number of VUs created so far. */
  maxVus = 0;
  /** How long the schedule ran, in ms, before it ended or was stopped. 0 until then. */
  scheduledMs = 0;
  #scheduledUntil: (time: number) => number = () => this.started;
  /** Schedule lag in µs; null for closed models. */
  #lag: Histogram | null = null;

  constructor(
    name: string,
    executor: string,
    set: MetricSet,
    tags: Tags,
    samples?: SampleBuffer,
  ) {
    this.#samples = samples;
    this.#name = name;
    this.#executor = executor;
    this.#ended = set.resolve("iterations", tags);
    this.#durations = set.resolve("iteration_duration", tags);
    this.#dropped = set.resolve("dropped_iterations", tags);
  }

  /**
   * Sets the schedule of an open-model scenario. Executors call this method before the scenario
   * starts. `scheduledUntil` returns the number of iterations scheduled before a given clock time.
   */
  setSchedule(scheduledUntil: (time: number) => number): void {
    this.#scheduledUntil = scheduledUntil;
    this.#lag = new Histogram();
  }

  /**
   * Returns the number of iterations scheduled before the clock time `time`. For closed models,
   * returns the number of iterations started.
   */
  scheduledUntil(time: number): number {
    return this.#scheduledUntil(time);
  }

  /**
   * Records the delay in ms from the planned to the actual start of a VU of a closed model.
   * `started` is false if the schedule ended before the VU could start.
   */
  startVu(delayMs: number, started: boolean): void {
    this.#startDelayMs = Math.max(this.#startDelayMs, delayMs);
    if (!started) this.#unstartedVus++;
  }

  /** Marks a VU as busy. */
  enter(): void {
    this.#vus++;
    if (this.#vus > this.#mostVus) this.#mostVus = this.#vus;
  }

  /** Marks a VU as no longer busy. */
  leave(): void {
    this.#vus--;
  }

  /** Returns the maximum number of VUs that were busy at the same time since the last call. */
  takeMostVus(): number {
    this.#lastVus = this.#mostVus;
    this.#mostVus = this.#vus;
    return this.#lastVus;
  }

  /** Records that an iteration ended after `durationMs` milliseconds. */
  end(durationMs: number): void {
    this.#iterations++;
    for (const counter of this.#ended) counter.add(1);
    for (const trend of this.#durations) trend.addMs(durationMs);
    if (this.#samples === undefined) return;
    const time = wallTime(performance.now());
    const scenario = this.#name;
    this.#samples.add({ type: "iteration", time, scenario, iteration_duration: durationMs });
  }

  /** Records that an iteration was canceled. */
  interrupt(): void {
    this.#interrupted++;
  }

  /** Records that `count` planned iterations did not start. */
  drop(count = 1): void {
    this.dropped += count;
    for (const counter of this.#dropped) counter.add(count);
    if (this.#samples === undefined) return;
    const time = wallTime(performance.now());
    const sample = { type: "dropped_iteration", time, scenario: this.#name } as const;
    this.#samples.add(count === 1 ? sample : { ...sample, value: count });
  }

  get #planned(): number {
    return this.#lag ? this.#scheduledUntil(Infinity) : this.limit;
  }

  /**
   * Records why the scenario ended. Drops the planned iterations that did not start, unless the
   * whole run was stopped or no rows of data are left.
   */
  finish(end: ScenarioEnd): void {
    const left = this.#planned - this.started - this.dropped;
    const hasLeft = Number.isFinite(left) && left > 0;
    this.#end = end === "time" && !hasLeft ? "finished" : end;
    if (hasLeft && end !== "stopped" && end !== "data") this.drop(left);
  }

  /**
   * Records that an iteration started `ms` milliseconds after its scheduled time. Does nothing for
   * closed models.
   */
  late(ms: number): void {
    this.#lag?.record(ms * 1_000);
  }

  /**
   * Returns the counts so far. Call it at the end of a one-second interval, after `takeMostVus`.
   */
  counts(): ScenarioCounts {
    return {
      name: this.#name,
      vus: this.#lastVus,
      atWork: this.#vus,
      iterations: this.#iterations,
      interrupted: this.#interrupted,
      dropped: this.dropped,
    };
  }

  /** Returns the counts and the schedule lag as plain data. */
  data(): ScenarioData {
    return {
      name: this.#name,
      executor: this.#executor,
      ...(this.#planned < Infinity && { planned: this.#planned }),
      started: this.started,
      ...(this.#end && { ended: this.#end }),
      iterations: this.#iterations,
      interrupted: this.#interrupted,
      dropped: this.dropped,
      max_vus: this.maxVus,
      ...(this.#startDelayMs > 0 && { start_delay_ms: this.#startDelayMs }),
      ...(this.#unstartedVus > 0 && { unstarted_vus: this.#unstartedVus }),
      ...(this.#lag && { scheduled_ms: this.scheduledMs, lag: this.#lag.data() }),
    };
  }
}
