import type {
  CounterFigures,
  GaugeFigures,
  MetricFigures,
  RateFigures,
  TrendFigures,
} from "../engine/summary.ts";

/** Figures together with what kind of metric they are of. */
export type KindOfFigures =
  | { readonly kind: "trend"; readonly figures: TrendFigures }
  | { readonly kind: "rate"; readonly figures: RateFigures }
  | { readonly kind: "counter"; readonly figures: CounterFigures }
  | { readonly kind: "gauge"; readonly figures: GaugeFigures };

/** Tells the kind of a metric from the figures that it has. */
export function kindOf(figures: MetricFigures): KindOfFigures {
  if ("avg" in figures) return { kind: "trend", figures };
  if ("passes" in figures) return { kind: "rate", figures };
  if ("count" in figures) return { kind: "counter", figures };
  return { kind: "gauge", figures };
}
