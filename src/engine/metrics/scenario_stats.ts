import { Histogram } from "../../base/histogram.ts";
import { type SampleBuffer, wallTime } from "../outputs/sample_buffer.ts";
import type { Counter, Trend } from "./metric.ts";
import type { MetricSet, Tags } from "./metric_set.ts";
import type { ScenarioCounts, ScenarioData } from "./snapshot.ts";

/** What a scenario's executor counts. */
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
  /** Starts for which no VU was free. */
  dropped = 0;
  /** VUs made so far, or allowed for if that is more. */
  maxVus = 0;
  /** How long the schedule lasted, in ms; set when it ends. */
  scheduledMs = 0;
  /** Starts that an open-model schedule has asked for before `time`; replaced by such an executor. */
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

  /** A VU begins its work. */
  enter(): void {
    this.#vus++;
    if (this.#vus > this.#mostVus) this.#mostVus = this.#vus;
  }

  /** A VU has done its work. */
  leave(): void {
    this.#vus--;
  }

  /** The most VUs at work at once since it was asked last. */
  takeMostVus(): number {
    this.#lastVus = this.#mostVus;
    this.#mostVus = this.#vus;
    return this.#lastVus;
  }

  /** An iteration came to its end. */
  end(durationMs: number): void {
    this.#iterations++;
    for (const counter of this.#ended) counter.add(1);
    for (const trend of this.#durations) trend.addMs(durationMs);
    if (this.#samples === undefined) return;
    const time = wallTime(performance.now());
    const scenario = this.#name;
    this.#samples.add({ type: "iteration", time, scenario, iteration_duration: durationMs });
  }

  /** An iteration was cancelled. */
  interrupt(): void {
    this.#interrupted++;
  }

  /** No VU was free for a start. */
  drop(): void {
    this.dropped++;
    for (const counter of this.#dropped) counter.add(1);
    if (this.#samples === undefined) return;
    const time = wallTime(performance.now());
    this.#samples.add({ type: "dropped_iteration", time, scenario: this.#name });
  }

  /** A scheduled iteration was started this late. */
  late(ms: number): void {
    this.#lag?.record(ms * 1_000);
  }

  /** How far it has come, when a second ends. */
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

  /** What it counted. */
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
