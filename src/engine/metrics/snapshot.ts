import type { HistogramData } from "../../base/histogram.ts";
import type {
  CheckStats,
  EndpointStats,
  ErrorStats,
  ScenarioSummary,
  TimelinePoint,
} from "../summary.ts";
import type { MetricData } from "./metric.ts";

/**
 * Counts of a run or of one shard as plain data, which can be sent to other threads and added up.
 */
export interface Snapshot {
  /** Milliseconds from the start to now, or to the end. */
  readonly durationMs: number;
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly checks: readonly CheckStats[];
  readonly endpoints: readonly EndpointData[];
  readonly errors: readonly ErrorStats[];
  readonly scenarios: readonly ScenarioData[];
  readonly timeline: readonly TimelinePoint[];
}

/** Endpoint with its histogram of `http_req_duration` in µs. */
export interface EndpointData extends Omit<EndpointStats, "http_req_duration"> {
  readonly histogram: HistogramData;
}

/** Scenario with the histogram of its schedule lag in µs; null for closed models. */
export interface ScenarioData extends Omit<ScenarioSummary, "schedule_lag_us"> {
  readonly lag: HistogramData | null;
}

/** Counts of a scenario at the end of a second. */
export interface ScenarioCounts
  extends Pick<ScenarioSummary, "name" | "iterations" | "interrupted" | "dropped"> {
  /** Maximum number of busy VUs in that second, and the number at its end. */
  readonly vus: number;
  readonly atWork: number;
}
