import type { HistogramData } from "../../base/histogram.ts";
import type { MetricKind, MetricName, MetricNameOf } from "../../plan/text/metrics.ts";
import type { PercentileKey } from "../summary/codes.ts";
import type { EndpointStats, ErrorStats, FailureStats, GroupStats } from "../summary/flow_stats.ts";
import type { ScenarioSummary, TimelinePoint } from "../summary/summary.ts";
import type { ErrorKind } from "../../http/sender.ts";

/** Values that metrics of each kind have. Histograms are in µs. */
export interface KindValues<H> {
  counter: { readonly kind: "counter"; count: number };
  rate: { readonly kind: "rate"; passes: number; total: number };
  gauge: { readonly kind: "gauge"; value: number; min: number; max: number };
  trend: { readonly kind: "trend"; histogram: H };
}

/** Values of a metric as plain data, so that they can be sent to other threads and added up. */
export type MetricData = {
  [Kind in MetricKind]: Readonly<KindValues<HistogramData>[Kind]>;
}[MetricKind];

/** Counts of a run or a shard as plain data. */
export interface Snapshot {
  /** Milliseconds from the start of the run to this snapshot. */
  readonly durationMs: number;
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly checks: readonly CheckData[];
  readonly endpoints: readonly EndpointData[];
  readonly errors: readonly ErrorStats[];
  readonly failures: readonly FailureStats[];
  readonly groups: readonly GroupData[];
  readonly scenarios: readonly ScenarioData[];
  readonly timeline: readonly TimelinePoint[];
}

/** Numbers of passes and failures of a check of one request. */
export interface CheckData {
  readonly name: string;
  readonly scenario: string;
  /** Path of the group, such as `::outer::inner`; empty outside of groups. */
  readonly group: string;
  readonly request: string;
  readonly passes: number;
  readonly fails: number;
}

/** Counts for an endpoint, with a histogram instead of the statistics of `http_req_duration`. */
export interface EndpointData extends Omit<EndpointStats, "http_req_duration"> {
  readonly histogram: HistogramData;
}

export interface GroupData extends Omit<GroupStats, "duration"> {
  readonly histogram: HistogramData;
}

/** Counts of a scenario, with a histogram instead of the statistics of the schedule lag. */
export interface ScenarioData extends Omit<ScenarioSummary, "schedule_lag_us"> {
  readonly lag?: HistogramData;
}

/** Counts of a scenario at the end of a one-second interval. */
export interface ScenarioCounts
  extends Pick<ScenarioSummary, "name" | "iterations" | "interrupted" | "dropped"> {
  /** Maximum number of VUs that were busy at the same time during the interval. */
  readonly vus: number;
  /** Number of VUs that were busy at the end of the interval. */
  readonly atWork: number;
}

export interface MetricRow {
  readonly name: string;
  readonly kind: MetricKind;
  readonly count?: number;
  readonly passes?: number;
  readonly total?: number;
  readonly value?: number;
  readonly min?: number;
  readonly max?: number;
  readonly histogram?: HistogramData;
}

/** Counts of one second of the run. */
export interface SecondData extends Omit<TimelinePoint, PercentileKey | "histogram"> {
  readonly histogram: HistogramData;
}

/** Rows of counts, by family. */
export interface CountRows {
  metrics: MetricRow;
  checks: CheckData;
  endpoints: EndpointData;
  errors: ErrorStats;
  failures: FailureStats;
  groups: GroupData;
  scenarios: ScenarioData;
  live: ScenarioCounts;
  seconds: SecondData;
}

/** Name of a family of counts. */
export type Family = keyof CountRows;

/** Counts since the start of the run, for outputs with series and the leader of a fleet. */
export type TickDetails = Pick<
  Snapshot,
  "checks" | "endpoints" | "errors" | "failures" | "groups" | "scenarios"
>;

/** Counts of a run at the end of a one-second interval. */
export interface TickReport {
  /** Metrics and sub-metrics by name, with all samples since the start of the run. */
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly last: TimelinePoint;
  readonly scenarios: readonly ScenarioCounts[];
  /** Present only if the runner was created with the `details` option. */
  readonly details?: TickDetails;
}

export type Tags = Readonly<Record<string, string>>;

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
