import { type HistogramData, mergeHistograms } from "../../base/histogram.ts";
import { parseSelector } from "../../plan/text/threshold.ts";
import type { MetricData } from "../metrics/metric.ts";
import type { TickDetails } from "../metrics/snapshot.ts";
import type { Point } from "./points.ts";

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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
