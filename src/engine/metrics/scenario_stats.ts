import { Histogram } from "../../base/histogram.ts";
import { type SampleBuffer, wallTime } from "../outputs/sample_buffer.ts";
import type { Counter, Trend } from "./metric.ts";
import type { MetricSet, Tags } from "./metric_set.ts";
import type { ScenarioCounts, ScenarioData } from "./snapshot.ts";

/** Counts of a scenario, maintained by its executor. */
export class ScenarioStats {
  readonly #name: string;
  readonly #executor: string;
  readonly #ended: readonly Counter[];
  readonly #durations: readonly Trend[];
  readonly #dropped: readonly Counter[];
  readonly #lag: Histogram | null;
  readonly #samples: SampleBuffer | undefined;
  #iterations = 0;
  #interrupted = 0;
  #vus = 0;
  #mostVus = 0;
  #lastVus = 0;
  /** Iterations started. */
  started = 0;
  /** Scheduled iterations for which no VU was free. */
  dropped = 0;
  /** Number of VUs created, or the allowed number if that is larger. */
  maxVus = 0;
  /** Duration of the schedule in ms; set when it ends. */
  scheduledMs = 0;
  /** Returns the number of iterations scheduled before `time`; open-model executors replace it. */
  scheduledUntil: (time: number) => number = () => this.started;

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
    this.#ended = set.resolve("counter", "iterations", tags);
    this.#durations = set.resolve("trend", "iteration_duration", tags);
    this.#dropped = set.resolve("counter", "dropped_iterations", tags);
    this.#lag = executor.endsWith("-arrival-rate") ? new Histogram() : null;
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

  /** Returns the maximum number of busy VUs since the last call. */
  takeMostVus(): number {
    this.#lastVus = this.#mostVus;
    this.#mostVus = this.#vus;
    return this.#lastVus;
  }

  /** Records an iteration that ended. */
  end(durationMs: number): void {
    this.#iterations++;
    for (const counter of this.#ended) counter.add(1);
    for (const trend of this.#durations) trend.addMs(durationMs);
    if (this.#samples === undefined) return;
    const time = wallTime(performance.now());
    const scenario = this.#name;
    this.#samples.add({ type: "iteration", time, scenario, iteration_duration: durationMs });
  }

  /** Records an iteration that was cancelled. */
  interrupt(): void {
    this.#interrupted++;
  }

  /** Records a scheduled iteration for which no VU was free. */
  drop(): void {
    this.dropped++;
    for (const counter of this.#dropped) counter.add(1);
    if (this.#samples === undefined) return;
    const time = wallTime(performance.now());
    this.#samples.add({ type: "dropped_iteration", time, scenario: this.#name });
  }

  /** Records how late a scheduled iteration was started, in ms. */
  late(ms: number): void {
    this.#lag?.record(ms * 1_000);
  }

  /** Returns the counts at the end of a second. */
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

  /** Returns the counts as plain data. */
  data(): ScenarioData {
    return {
      name: this.#name,
      executor: this.#executor,
      iterations: this.#iterations,
      interrupted: this.#interrupted,
      dropped: this.dropped,
      max_vus: this.maxVus,
      ...(this.#lag && { scheduled_ms: this.scheduledMs }),
      lag: this.#lag?.data() ?? null,
    };
  }
}
