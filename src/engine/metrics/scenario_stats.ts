import { Histogram } from "../../base/histogram.ts";
import type { ScenarioEnd } from "../summary/codes.ts";
import type { LiveRow } from "./counts.ts";
import {
  addCount,
  addTime,
  type Counter,
  type MetricSet,
  type Tags,
  type Trend,
} from "./metrics.ts";
import { type SampleBuffer, wallTime } from "./sample.ts";
import type { ScenarioCounts } from "./snapshot.ts";

/** Counts the iterations and VUs of a scenario. The scenario's executor updates the counts. */
export class ScenarioStats {
  /** Counts of the scenario. */
  readonly counts: LiveRow<"scenarios">;
  readonly #ended: readonly Counter[];
  readonly #durations: readonly Trend[];
  readonly #dropped: readonly Counter[];
  readonly #samples: SampleBuffer | undefined;
  #vus = 0;
  #mostVus = 0;
  #lastVus = 0;
  started = 0;
  /** Number of iterations that a closed model plans; Infinity if there is no limit. */
  limit: number = Infinity;
  #scheduledUntil: (time: number) => number = () => this.started;

  constructor(counts: LiveRow<"scenarios">, set: MetricSet, tags: Tags, samples?: SampleBuffer) {
    this.#samples = samples;
    this.counts = counts;
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
    this.counts.lag = new Histogram();
    this.counts.scheduled_ms = 0;
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
    this.counts.start_delay_ms = Math.max(this.counts.start_delay_ms!, delayMs);
    if (!started) this.counts.unstarted_vus!++;
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
    this.counts.iterations++;
    addCount(this.#ended, 1);
    addTime(this.#durations, durationMs);
    this.#samples?.add({
      type: "iteration",
      time: wallTime(),
      scenario: this.counts.name,
      iteration_duration: durationMs,
    });
  }

  /** Records that an iteration was canceled. */
  interrupt(): void {
    this.counts.interrupted++;
  }

  /** Records that planned iterations did not start. */
  drop(iterations = 1): void {
    this.counts.dropped += iterations;
    addCount(this.#dropped, iterations);
    this.#samples?.add({
      type: "dropped_iteration",
      time: wallTime(),
      scenario: this.counts.name,
      ...(iterations > 1 && { value: iterations }),
    });
  }

  get #planned(): number {
    return this.counts.lag ? this.#scheduledUntil(Infinity) : this.limit;
  }

  /**
   * Records why the scenario ended. Drops the planned iterations that did not start, unless the
   * whole run was stopped or no rows of data are left.
   */
  finish(end: ScenarioEnd): void {
    const left = this.#planned - this.started - this.counts.dropped;
    const hasLeft = Number.isFinite(left) && left > 0;
    this.counts.ended = end === "time" && !hasLeft ? "finished" : end;
    if (hasLeft && end !== "stopped" && end !== "data") this.drop(left);
  }

  /**
   * Records that an iteration started `ms` milliseconds after its scheduled time. Does nothing for
   * closed models.
   */
  late(ms: number): void {
    this.counts.lag?.record(ms * 1_000);
  }

  /** Records how long the schedule of an open model ran, in ms, before it ended or was stopped. */
  setScheduled(ms: number): void {
    if (this.counts.lag) this.counts.scheduled_ms = ms;
  }

  /** Updates the counts that depend on the schedule. */
  update(): void {
    this.counts.started = this.started;
    this.counts.planned = this.#planned < Infinity ? this.#planned : undefined;
  }

  /**
   * Returns the counts of the interval so far. Call it at the end of a one-second interval, after
   * `takeMostVus`.
   */
  live(): ScenarioCounts {
    const { name, iterations, interrupted, dropped } = this.counts;
    return { name, vus: this.#lastVus, atWork: this.#vus, iterations, interrupted, dropped };
  }
}
