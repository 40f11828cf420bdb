import type { HistogramData } from "../../base/histogram.ts";
import type {
  CheckStats,
  EndpointStats,
  ErrorStats,
  ScenarioSummary,
  TimelinePoint,
} from "../summary/summary.ts";
import type { MetricData } from "./metric.ts";

/**
 * Counts of a run or of one shard as plain data, which can be sent to other threads and added up.
 */
export interface Snapshot {
  /** Milliseconds from the start of the run to this snapshot. */
  readonly durationMs: number;
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly checks: readonly CheckStats[];
  readonly endpoints: readonly EndpointData[];
  readonly errors: readonly ErrorStats[];
  readonly scenarios: readonly ScenarioData[];
  readonly timeline: readonly TimelinePoint[];
}

/** Counts of an endpoint and its histogram of `http_req_duration` in µs. */
export interface EndpointData extends Omit<EndpointStats, "http_req_duration"> {
  readonly histogram: HistogramData;
}

/**
 * Counts of a scenario and the histogram of its schedule lag in µs, which is null for closed
 * models.
 */
export interface ScenarioData extends Omit<ScenarioSummary, "schedule_lag_us"> {
  readonly lag: HistogramData | null;
}

/** Counts of a scenario at the end of a one-second interval. */
export interface ScenarioCounts
  extends Pick<ScenarioSummary, "name" | "iterations" | "interrupted" | "dropped"> {
  /** Maximum number of VUs that were busy at the same time during the interval. */
  readonly vus: number;
  /** Number of VUs that are busy at the end of the interval. */
  readonly atWork: number;
}

/** Counts of a run at the end of a one-second interval. */
export interface TickReport {
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly last: TimelinePoint;
  readonly scenarios: readonly ScenarioCounts[];
}
