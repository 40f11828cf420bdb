import type {
  CounterStats,
  GaugeStats,
  MetricStats,
  RateStats,
  TrendStats,
} from "../engine/summary.ts";

/** Figures together with what kind of metric they are of. */
export type KindOfMetric =
  | { readonly kind: "trend"; readonly figures: TrendStats }
  | { readonly kind: "rate"; readonly figures: RateStats }
  | { readonly kind: "counter"; readonly figures: CounterStats }
  | { readonly kind: "gauge"; readonly figures: GaugeStats };

/** Tells the kind of a metric from the figures that it has. */
export function metricKind(figures: MetricStats): KindOfMetric {
  if ("avg" in figures) return { kind: "trend", figures };
  if ("passes" in figures) return { kind: "rate", figures };
  if ("count" in figures) return { kind: "counter", figures };
  return { kind: "gauge", figures };
}
