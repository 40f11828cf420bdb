import { decodeHistogram } from "../../base/histogram_codec.ts";
import type { Section } from "../blocks.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { type Chart, type ChartData, chartGrid, type Series } from "./chart.ts";
import { alignCurves, percentileCurve, type SecondRow, secondRows } from "./series.ts";

const LINES: readonly Pick<Series, "label" | "tone" | "dashed">[] = [
  { label: "before", tone: "three", dashed: true },
  { label: "after", tone: "one" },
];

/** Creates charts that compare two runs. The time axis of each run starts at 0. */
export function comparisonCharts(
  runs: readonly [before: Summary, after: Summary],
): { readonly data: ChartData; readonly sections: readonly Section[] } {
  const timelines = runs.map(({ timeline, duration_ms }) => secondRows(timeline, duration_ms));
  const seconds = [...new Set(timelines.flatMap((points) => points.map(({ at }) => at)))]
    .sort((a, b) => a - b);
  const over = (title: string, unit: Chart["unit"], of: (point: SecondRow) => number | null) => ({
    title,
    axis: "seconds",
    unit,
    series: timelines.map((points, i) => {
      const known = new Map(points.map((point) => [point.at, of(point)]));
      return { ...LINES[i], values: seconds.map((at) => known.get(at) ?? null) };
    }),
  });
  const curves = runs.map(({ histograms }) =>
    percentileCurve(decodeHistogram(histograms.metrics.http_req_duration ?? ""))
  );
  const { x, values } = alignCurves(curves);
  const overTime = seconds.length === 0 ? [] : [
    over("Requests", "rate", ({ requests }) => requests),
    over("p95", "ms", ({ p95, requests }) => requests === 0 ? null : p95),
    over("p50", "ms", ({ p50, requests }) => requests === 0 ? null : p50),
    over("Failed requests", "share", ({ failedShare }) => failedShare),
  ];
  const distribution: Chart[] = x.length === 0 ? [] : [{
    title: "Latency by percentile",
    axis: "percentiles",
    unit: "ms",
    series: LINES.map((line, i) => ({ ...line, values: values[i] })),
  }];
  return {
    data: { axes: { seconds, percentiles: x }, charts: [...overTime, ...distribution] },
    sections: [
      { title: "Over time", blocks: [{ page: chartGrid(overTime) }] },
      {
        title: "Distribution",
        blocks: [{ page: chartGrid(distribution, { from: overTime.length }) }],
      },
    ],
  };
}
