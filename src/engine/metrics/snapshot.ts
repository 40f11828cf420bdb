import type { HistogramData } from "../../base/histogram.ts";
import type { MetricKind } from "../../plan/text/metrics.ts";
import type { PercentileKey } from "../summary/codes.ts";
import type { EndpointStats, ErrorStats, FailureStats, GroupStats } from "../summary/flow_stats.ts";
import type { ScenarioSummary, TimelinePoint } from "../summary/summary.ts";

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
