import type { ErrorKind } from "../../http/sender.ts";
import type { MetricName, MetricNameOf } from "../../plan/text/metrics.ts";
import type { Tags } from "./metrics.ts";

/** Recorded event. `time` is in Unix milliseconds. */
export type Sample =
  | RequestSample
  | {
    readonly type: "check";
    readonly time: number;
    readonly scenario: string;
    readonly group: string;
    readonly name: string;
    readonly check: string;
    readonly passed: boolean;
  }
  | MetricSample
  | {
    readonly type: "iteration";
    readonly time: number;
    readonly scenario: string;
    readonly iteration_duration: number;
  }
  | {
    readonly type: "dropped_iteration";
    readonly time: number;
    readonly scenario: string;
    readonly value?: number;
  };

/** Value of a metric that the plan defines. For a rate, the value is 0 or 1. */
export interface MetricSample {
  readonly type: "metric";
  readonly time: number;
  readonly tags: Tags;
  readonly metric: string;
  readonly value: number;
}

/** Metric that is recorded only for the first request of an open-model iteration. */
export type ScheduledMetric = "http_req_latency_corrected";

/** A request and its response. Durations are in ms and named after their metrics. */
export interface RequestSample
  extends
    Readonly<Record<Extract<MetricName, `data_${string}`>, number>>,
    Readonly<
      Record<Exclude<Extract<MetricNameOf<"trend">, `http_req_${string}`>, ScheduledMetric>, number>
    >,
    Readonly<Partial<Record<ScheduledMetric, number>>> {
  readonly type: "request";
  /** Time at which the response was complete or the request failed, in Unix milliseconds. */
  readonly time: number;
  readonly tags: Tags;
  readonly status: number;
  readonly failed: boolean;
  readonly error_kind?: ErrorKind;
}

/** Samples since the last batch, and how many the full buffer dropped. */
export interface SampleBatch {
  readonly samples: readonly Sample[];
  readonly dropped: number;
}

/** Maximum number of samples that a thread buffers between two ticks (one second). */
const MAX_SAMPLES = 100_000;

export class SampleBuffer {
  #samples: Sample[] = [];
  #dropped = 0;

  add(sample: Sample): void {
    if (this.#samples.length < MAX_SAMPLES) this.#samples.push(sample);
    else this.#dropped++;
  }

  take(): SampleBatch {
    const batch = { samples: this.#samples, dropped: this.#dropped };
    this.#samples = [];
    this.#dropped = 0;
    return batch;
  }
}

/** Converts a `performance.now()` time to Unix milliseconds, rounded to whole microseconds. */
export function wallTime(now = performance.now()): number {
  return Math.round((performance.timeOrigin + now) * 1_000) / 1_000;
}
