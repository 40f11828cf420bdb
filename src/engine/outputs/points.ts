import { mergeHistograms } from "../../base/histogram.ts";
import { parseSelector } from "../../plan/text/threshold.ts";
import type { MetricData } from "../metrics/metric.ts";

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
