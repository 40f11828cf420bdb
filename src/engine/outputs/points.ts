import { mergeHistograms } from "../../base/histogram.ts";
import { parseSelector } from "../../plan/selector.ts";
import type { MetricData } from "../metrics/metric.ts";

/** One value; counters only ever rise. */
export interface Point {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  /** The tags of a threshold's selector, and `quantile`. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999];

/**
 * All metrics as single values under the metrics' own names. Of a trend: its quantiles in ms, and its
 * `_sum` and `_count`; of a rate: the share, and how often (`_passes_total`, `_samples_total`).
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
      const share = total === 0 ? [] : [gauge(passes / total)];
      return [...share, counter("_passes_total", passes), counter("_samples_total", total)];
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
