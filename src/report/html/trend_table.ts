import type { Summary, TrendFigures } from "../../engine/summary.ts";
import { kindOf } from "../metric_kind.ts";
import { html, type Markup } from "./markup.ts";
import { counted, timed } from "./number.ts";
import { type Column, table } from "./table.ts";

/** The aggregations of a trend that are shown, in order. */
export const AGGREGATIONS = [
  "avg",
  "min",
  "med",
  "max",
  "p(90)",
  "p(95)",
  "p(99)",
  "p(99.9)",
] as const;

/** A column for each aggregation of a trend in ms. */
export function trendColumns<Row>(
  keys: readonly (typeof AGGREGATIONS)[number][],
  of: (row: Row) => TrendFigures,
): Column<Row>[] {
  return keys.map((key) => ({ title: key, cell: (row) => timed(of(row)[key]) }));
}

/** Every trend with samples. */
export function trendTable({ metrics }: Summary): Markup | undefined {
  const trends = Object.keys(metrics).sort().flatMap((name) => {
    const metric = kindOf(metrics[name]);
    return metric.kind === "trend" && metric.figures.count > 0
      ? [{ name, figures: metric.figures }]
      : [];
  });
  return table(
    [
      { title: "Metric", cell: ({ name }) => html`<code>${name}</code>` },
      { title: "Samples", cell: ({ figures }) => counted(figures.count) },
      ...trendColumns<typeof trends[number]>(AGGREGATIONS, ({ figures }) => figures),
    ],
    trends,
    { caption: "Times" },
  );
}
