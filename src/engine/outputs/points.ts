import { sum } from "../../base/format.ts";
import { type HistogramData, mergeHistograms } from "../../base/histogram.ts";
import { parseSelector } from "../../plan/rules/thresholds.ts";
import type { MetricData } from "../metrics/metrics.ts";
import type { TickDetails } from "../metrics/snapshot.ts";

/** Single value of a metric at a point in time. The value of a counter never decreases. */
export interface Point {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  /**
   * Names and values of the labels, such as the tags of a sub-metric, or `quantile` for a trend.
   */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

/** Prefix of all metric names in Prometheus and OTLP outputs. */
export const METRIC_PREFIX = "rehearse_";

/** Quantiles that outputs receive for each trend, as fractions from 0 to 1. */
const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999];

/**
 * Converts metrics to points with single values:
 * - Trend: its quantiles, `_sum` (both in ms) and `_count`.
 * - Rate: the fraction that passed (0 to 1), `_passes_total` and `_samples_total`.
 * - Counter: its count as `_total`.
 * - Gauge: its last value.
 */
export function toPoints(metrics: Readonly<Record<string, MetricData>>): Point[] {
  return Object.entries(metrics).flatMap(([selector, data]) => {
    const { metric, tags } = parseSelector(selector);
    return points(metric, tags, data);
  });
}

function points(name: string, labels: Point["labels"], data: MetricData): Point[] {
  const counter = (suffix: string, value: number): Point => ({
    name: name + suffix,
    kind: "counter",
    labels,
    value,
  });
  const gauge = (value: number): Point => ({ name, kind: "gauge", labels, value });
  switch (data.kind) {
    case "counter":
      return [counter("_total", data.count)];
    case "gauge":
      return [gauge(data.value)];
    case "rate": {
      const { passes, total } = data;
      const ratio = total === 0 ? [] : [gauge(passes / total)];
      return [...ratio, counter("_passes_total", passes), counter("_samples_total", total)];
    }
    case "trend": {
      const histogram = mergeHistograms(data.histogram);
      const quantiles = histogram.count === 0 ? [] : QUANTILES.map((quantile): Point => ({
        name,
        kind: "gauge",
        labels: [...labels, ["quantile", String(quantile)]],
        value: histogram.percentile(100 * quantile) / 1_000,
      }));
      return [
        ...quantiles,
        counter("_sum", histogram.sum / 1_000),
        counter("_count", histogram.count),
      ];
    }
  }
}

/**
 * Upper bounds of the buckets of exported histograms, in seconds. They are the same in all runs, so
 * that a receiver can add histograms of several runs or processes.
 */
export const BOUNDS: readonly number[] = [
  ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 30, 60],
];

/**
 * Maximum number of endpoints that have their own series. The requests of all other endpoints are
 * combined in one series with the name `(other)`, so that a plan with many endpoints does not flood
 * the receiver.
 */
const MAX_ENDPOINTS = 100;
/** Maximum number of scenarios that have their own series. */
const MAX_SCENARIOS = 100;

/** Histogram of the durations recorded since the start of the run. */
export interface HistogramPoint {
  readonly name: string;
  readonly labels: Point["labels"];
  /**
   * Number of values in each bucket. Bucket `i` contains the values above `BOUNDS[i - 1]` that are
   * at most `BOUNDS[i]`. The last bucket contains the values above the last bound.
   */
  readonly counts: readonly number[];
  readonly count: number;
  /** Sum of all values in seconds. */
  readonly sum: number;
}

/**
 * Converts the trends in `metrics` to histograms. Appends `_seconds` to the name of each metric.
 */
export function toHistograms(metrics: Readonly<Record<string, MetricData>>): HistogramPoint[] {
  return Object.entries(metrics).flatMap(([selector, data]) => {
    if (data.kind !== "trend") return [];
    const { metric, tags } = parseSelector(selector);
    return [histogramPoint(`${metric}_seconds`, tags, data.histogram)];
  });
}

/**
 * Converts the counts for scenarios and endpoints to points and histograms. The names of these
 * points and histograms differ from the names of metrics, so that no receiver adds them to the
 * totals.
 */
export function toSeries(
  { scenarios, endpoints }: TickDetails,
): { readonly points: Point[]; readonly histograms: HistogramPoint[] } {
  const named = endpoints.slice(0, MAX_ENDPOINTS).map((endpoint) => ({
    labels: (["scenario", "group", "name", "method"] as const)
      .map((key) => [key, endpoint[key]] as const).filter(([, value]) => value !== ""),
    all: [endpoint],
  }));
  const rest = endpoints.slice(MAX_ENDPOINTS);
  const groups = rest.length === 0
    ? named
    : [...named, { labels: [["name", "(other)"] as const], all: rest }];
  return {
    points: [
      ...scenarios.slice(0, MAX_SCENARIOS).flatMap(({ name, iterations, dropped }) => [
        counter("scenario_iterations_total", [["scenario", name]], iterations),
        counter("scenario_dropped_iterations_total", [["scenario", name]], dropped),
      ]),
      ...groups.flatMap(({ labels, all }) => [
        counter("endpoint_requests_total", labels, sum(all.map(({ count }) => count))),
        counter("endpoint_failed_total", labels, sum(all.map(({ failed }) => failed))),
      ]),
    ],
    histograms: groups.map(({ labels, all }) =>
      histogramPoint("endpoint_duration_seconds", labels, ...all.map(({ histogram }) => histogram))
    ),
  };
}

/** Converts a histogram to the points of a Prometheus histogram, with cumulative buckets. */
export function bucketPoints({ name, labels, counts, count, sum }: HistogramPoint): Point[] {
  let below = 0;
  return [
    ...BOUNDS.map((bound, i) =>
      counter(`${name}_bucket`, [...labels, ["le", String(bound)]], below += counts[i])
    ),
    counter(`${name}_bucket`, [...labels, ["le", "+Inf"]], count),
    counter(`${name}_sum`, labels, sum),
    counter(`${name}_count`, labels, count),
  ];
}

function histogramPoint(
  name: string,
  labels: Point["labels"],
  ...data: readonly HistogramData[]
): HistogramPoint {
  const histogram = mergeHistograms(...data);
  const counts = new Array<number>(BOUNDS.length + 1).fill(0);
  let bound = 0;
  for (const [lowest, count] of histogram.buckets()) {
    while (bound < BOUNDS.length && lowest > BOUNDS[bound] * 1_000_000) bound++;
    counts[bound] += count;
  }
  return { name, labels, counts, count: histogram.count, sum: histogram.sum / 1_000_000 };
}

function counter(name: string, labels: Point["labels"], value: number): Point {
  return { name, kind: "counter", labels, value };
}
