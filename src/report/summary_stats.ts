import type { EndpointStats, ErrorStats } from "../engine/summary/flow_stats.ts";
import type {
  CounterStats,
  GaugeStats,
  MetricStats,
  RateStats,
  TrendStats,
} from "../engine/summary/metric_stats.ts";

/** Statistics of a metric, tagged with the kind of the metric. */
export type KindOfMetric =
  | { readonly kind: "trend"; readonly stats: TrendStats }
  | { readonly kind: "rate"; readonly stats: RateStats }
  | { readonly kind: "counter"; readonly stats: CounterStats }
  | { readonly kind: "gauge"; readonly stats: GaugeStats };

/** Returns the statistics of a metric, tagged with the kind of the metric. */
export function metricKind(stats: MetricStats): KindOfMetric {
  if ("avg" in stats) return { kind: "trend", stats };
  if ("passes" in stats) return { kind: "rate", stats };
  if ("count" in stats) return { kind: "counter", stats };
  return { kind: "gauge", stats };
}

/**
 * Returns the names of all metrics in alphabetical order, with the submetrics of a metric, such as
 * `vus{scenario:browse}`, directly after it.
 */
export function metricNames(metrics: Readonly<Record<string, MetricStats>>): string[] {
  // A `{` sorts after `_`, so `vus{…}` would otherwise follow `vus_max`.
  const key = (name: string) => name.replace("{", "\0");
  return Object.keys(metrics).sort((a, b) => key(a) < key(b) ? -1 : 1);
}

/**
 * Number of sent requests, number of failed requests, and number of requests that could not be
 * sent.
 */
export type RequestCounts = Pick<EndpointStats, "count" | "failed" | "unsent">;

/** Adds up the requests to several endpoints. */
export function requestTotals(
  endpoints: readonly RequestCounts[],
): RequestCounts & { readonly unsent: number } {
  const sum = (of: (endpoint: RequestCounts) => number) =>
    endpoints.reduce((total, endpoint) => total + of(endpoint), 0);
  return {
    count: sum(({ count }) => count),
    failed: sum(({ failed }) => failed),
    unsent: sum(({ unsent = 0 }) => unsent),
  };
}

/**
 * Returns the share of failed requests to an endpoint, from 0 to 1. Unsent requests count as
 * failed.
 */
export function failedShare({ count, failed, unsent = 0 }: RequestCounts): number {
  // In summaries written by older versions, which lack `unsent`, `failed` may exceed `count`.
  const all = Math.max(count + unsent, failed);
  return all === 0 ? 0 : failed / all;
}

/**
 * Returns the errors with those of unsent requests last, because such errors are often consequences
 * of the others. Otherwise, keeps the order.
 */
export function causesFirst(errors: readonly ErrorStats[]): readonly ErrorStats[] {
  return errors.toSorted((a, b) => Number(isUnsent(a)) - Number(isUnsent(b)));
}

/** Reports whether an error is the reason why requests could not be sent. */
function isUnsent({ kind }: ErrorStats): boolean {
  return kind === "template";
}
