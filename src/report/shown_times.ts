import type { TrendStats } from "../engine/summary/metric_stats.ts";

/** An aggregation of times in a summary. */
export type TimeAggregation = Exclude<keyof TrendStats, "count">;

/**
 * Aggregations that each part of a report shows, in order. To show another aggregation, add it
 * here. Charts and live views show the summary's `PERCENTILES` instead.
 */
export const SHOWN_TIMES = {
  /**
   * Aggregations in the key metrics, which are shown in large type at the top of the HTML report.
   */
  keyMetrics: ["p(95)", "p(99)", "med", "max"],
  /** Aggregations of each endpoint's response times in the HTML report. */
  endpoints: ["med", "p(95)", "p(99)", "p(99.9)", "max"],
  /** Aggregations of each trend in the HTML report. */
  trends: ["avg", "min", "med", "max", "p(90)", "p(95)", "p(99)", "p(99.9)"],
  /** Aggregations of each scenario's start delay in the HTML report. */
  startDelay: ["med", "p(99)", "max"],
  /** Aggregations of the slowest endpoints' response times in the text report. */
  slowestEndpoints: ["med", "p(95)", "p(99)", "max"],
  /** Aggregations of each trend in the text report. */
  textTrends: ["avg", "min", "med", "max", "p(90)", "p(95)", "p(99)"],
} as const satisfies Readonly<Record<string, readonly TimeAggregation[]>>;

/** Percentiles (0 to 100) that a comparison of two runs shows for each metric. */
export const COMPARED_PERCENTILES = {
  http_req_duration: [50, 90, 95, 99, 99.9],
  http_req_latency_corrected: [50, 99],
} as const;

/**
 * Returns the label of an aggregation, such as `p95` for `p(95)`. For an aggregation that is not a
 * percentile, the label is its name.
 */
export function statLabel(aggregation: string): string {
  return aggregation.replace(/^p\((.*)\)$/, "p$1");
}
