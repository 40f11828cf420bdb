import type { HistogramData } from "../../base/histogram.ts";
import type {
  CheckStats,
  EndpointStats,
  ErrorStats,
  ScenarioSummary,
  TimelinePoint,
} from "../summary.ts";
import type { MetricData } from "./metric.ts";

/** Everything that a run or a share of one has counted, as plain data: it crosses threads and adds up. */
export interface Snapshot {
  /** From the start to now, or to the end. */
  readonly durationMs: number;
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly checks: readonly CheckStats[];
  readonly endpoints: readonly EndpointData[];
  readonly errors: readonly ErrorStats[];
  readonly scenarios: readonly ScenarioData[];
  readonly timeline: readonly TimelinePoint[];
}

/** An endpoint with its histogram of `http_req_duration` in µs. */
export interface EndpointData extends Omit<EndpointStats, "http_req_duration"> {
  readonly histogram: HistogramData;
}

/** A scenario with the histogram of its schedule's lag in µs; null for closed models. */
export interface ScenarioData extends Omit<ScenarioSummary, "schedule_lag_us"> {
  readonly lag: HistogramData | null;
}

/** What a scenario has counted when a second ends. */
export interface ScenarioCounts
  extends Pick<ScenarioSummary, "name" | "iterations" | "interrupted" | "dropped"> {
  /** The most at work at once in that second, and those at work at its end. */
  readonly vus: number;
  readonly atWork: number;
}
