import { count, formatMs, percent, perSecond, time } from "../base/format.ts";
import type { Progress, ScenarioProgress } from "../engine/progress.ts";
import { mapPercentiles, type PercentileKey } from "../engine/summary/codes.ts";
import type {
  CounterStats,
  EndpointStats,
  GaugeStats,
  MetricStats,
  RateStats,
  TrendStats,
} from "../engine/summary/flow_stats.ts";
import type { TimelinePoint } from "../engine/summary/summary.ts";
import { isOpenModel } from "../plan/kinds/executors.ts";

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

export type RequestCounts = Pick<EndpointStats, "count" | "failed" | "unsent">;

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

export function failedShare({ count, failed, unsent = 0 }: RequestCounts): number {
  const all = count + unsent;
  return all === 0 ? 0 : failed / all;
}

/** An aggregation of times in a summary. */
export type TimeAggregation = Exclude<keyof TrendStats, "count">;

/**
 * Aggregations that each part of a report shows, in order. To show another aggregation, add it
 * here. Charts and live views show the summary's `PERCENTILES` instead.
 */
export const SHOWN_TIMES = {
  keyMetrics: ["p(95)", "p(99)", "med", "max"],
  endpoints: ["med", "p(95)", "p(99)", "p(99.9)", "max"],
  trends: ["avg", "min", "med", "max", "p(90)", "p(95)", "p(99)", "p(99.9)"],
  startDelay: ["med", "p(99)", "max"],
  slowestEndpoints: ["med", "p(95)", "p(99)", "max"],
} as const satisfies Readonly<Record<string, readonly TimeAggregation[]>>;

export function statLabel(aggregation: string): string {
  return aggregation.replace(/^p\((.*)\)$/, "p$1");
}

/** Minimum number of requests for a meaningful p95. */
const MIN_REQUESTS = 20;

/**
 * Note on how `slowestFirst` sorts endpoints with few requests. Reports show it if this rule
 * affects the order of the endpoints that they list.
 */
export const RANK_RULE = `endpoints with fewer than ${MIN_REQUESTS} requests rank last`;

/**
 * Sorts endpoints by p95, slowest first. Endpoints with fewer than 20 requests come last, and
 * endpoints without requests are omitted. All reports use this order.
 */
export function slowestFirst<Endpoint extends { readonly count: number }>(
  endpoints: readonly Endpoint[],
  p95: (endpoint: Endpoint) => number,
): Endpoint[] {
  return endpoints.filter(({ count }) => count > 0)
    .sort((a, b) => Number(isRare(a)) - Number(isRare(b)) || p95(b) - p95(a));
}

/** Reports whether only some of the endpoints have too few requests for a meaningful p95. */
export function hasRareEndpoints(endpoints: readonly { readonly count: number }[]): boolean {
  const sent = endpoints.filter(({ count }) => count > 0);
  return sent.some(isRare) && !sent.every(isRare);
}

function isRare({ count }: { readonly count: number }): boolean {
  return count < MIN_REQUESTS;
}

/** A metric of a run in progress. */
export interface LiveMetric {
  readonly label: string;
  /** Value of the last one-second interval, as formatted text. */
  readonly now: string;
  /** Value of the last one-second interval: a count, a share from 0 to 1, or milliseconds. */
  readonly value: number;
  readonly scheduled?: string;
  /** Value since the start of the run, as formatted text. Empty for metrics without a total. */
  readonly soFar: string;
  readonly seriesKey: Exclude<keyof TimelinePoint, "at" | "histogram" | "unsent">;
  readonly bad?: boolean;
}

/** Returns the key metrics of a run in progress, starting with the most important ones. */
export function liveMetrics(progress: Progress): LiveMetric[] {
  const { last, times, iterations, requests, failed, unsent, dropped } = progress;
  const isOpen = hasOpenModel(progress.scenarios);
  const hasResponses = last.requests > 0;
  const [now, soFar] = [last.requests + (last.unsent ?? 0), requests + unsent];
  const latency = (of: PercentileKey): LiveMetric => ({
    label: of,
    now: hasResponses ? time(last[of]) : "–",
    value: last[of],
    soFar: requests > 0 ? time(times[of]) : "–",
    seriesKey: of,
    bad: isExceeded(progress, of),
  });
  return [
    {
      label: "Iterations",
      now: perSecond(last.started),
      value: last.started,
      ...(isOpen && { scheduled: `of ${perSecond(last.scheduled)}` }),
      soFar: count(iterations),
      seriesKey: "started",
    },
    {
      label: "Requests",
      now: perSecond(last.requests),
      value: last.requests,
      soFar: count(requests),
      seriesKey: "requests",
    },
    {
      label: "Failed",
      now: now > 0 ? percent(last.failed / now) : "–",
      value: now > 0 ? last.failed / now : 0,
      soFar: soFar > 0 ? percent(failed / soFar) : "–",
      seriesKey: "failed",
      bad: failed > 0,
    },
    ...Object.values(mapPercentiles((_, key) => latency(key))),
    { label: "VUs", now: count(last.vus), value: last.vus, soFar: "", seriesKey: "vus" },
    ...(isOpen
      ? [{
        label: "Dropped",
        now: count(last.dropped),
        value: last.dropped,
        soFar: count(dropped),
        seriesKey: "dropped" as const,
        bad: dropped > 0,
      }]
      : []),
  ];
}

const ON_PERCENTILE: Readonly<Record<PercentileKey, RegExp>> = {
  p50: /^\s*(?:med\b|p\(50(?:\.0+)?\))/,
  p95: /^\s*p\(95(?:\.0+)?\)/,
  p99: /^\s*p\(99(?:\.0+)?\)/,
};

function isExceeded({ thresholds }: Progress, of: PercentileKey): boolean {
  return thresholds.some(({ metric, expression, passed }) =>
    passed === false && metric === "http_req_duration" && ON_PERCENTILE[of].test(expression)
  );
}

/**
 * Reports whether a scenario uses an open model, in which the rate does not depend on the target's
 * response times.
 */
export function hasOpenModel(scenarios: readonly { readonly executor: string }[]): boolean {
  return scenarios.some(({ executor }) => isOpenModel(executor));
}

export function describeStart({ startMs, after }: ScenarioProgress): string {
  return startMs < Infinity ? `starts at ${formatMs(startMs)}` : `starts after ${after}`;
}

/** Time that has elapsed in a run, as text. */
export interface ElapsedText {
  /** Elapsed and planned time, such as `12s of 1m30s`. */
  readonly time: string;
  /** What the run waits for, after the planned end. Undefined before the planned end. */
  readonly waiting?: string;
}

/**
 * Describes how much of the planned time has elapsed. After the planned end, a run only waits for
 * the iterations that are still running, until `graceful_stop` cuts them off.
 */
export function describeElapsed({ elapsedMs, plannedMs, done }: Progress): ElapsedText {
  const [elapsed, planned] = [formatMs(elapsedMs), formatMs(plannedMs)];
  if (elapsedMs > plannedMs) {
    return {
      time: `${elapsed} (planned ${planned})`,
      waiting: "waiting for running iterations, up to `graceful_stop`",
    };
  }
  // A run with a fixed number of iterations can end before the planned time.
  return { time: `${elapsed} of ${done > elapsedMs / plannedMs ? "at most " : ""}${planned}` };
}
