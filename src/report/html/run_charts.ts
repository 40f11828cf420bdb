import type { Histogram } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import { mapPercentiles, type PercentileKey } from "../../engine/summary/codes.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { count } from "../../base/format.ts";
import type { Chart, ChartData, Limit, Series, Tone } from "./chart.ts";
import { chartLimits } from "./chart_limits.ts";
import { endpointDetails } from "./endpoint_details.ts";
import { phaseMarks } from "./phase_marks.ts";
import { statusChart } from "./status_chart.ts";
import { type TotalSeries, totalSeries } from "./total_series.ts";
import { alignCurves, percentileCurve } from "./percentile_curve.ts";
import { type SecondRow, secondRows } from "./timeline.ts";

/** Color of each percentile's line in the chart of latency over time. */
const PERCENTILE_TONES: Readonly<Record<PercentileKey, Tone>> = {
  p50: "two",
  p95: "one",
  p99: "three",
};

/** Creates the charts of a run: charts over time, and a chart of latency by percentile. */
export function runCharts(
  summary: Summary,
  total: TotalSeries | undefined = totalSeries(summary.endpoints),
): ChartData {
  const points = secondRows(summary.timeline, summary.duration_ms);
  const curve = percentiles(summary);
  const classes = statusChart(total, summary.duration_ms);
  const axes = {
    seconds: points.map(({ at }) => at),
    intervals: classes?.seconds ?? [],
    percentiles: curve.x,
  };
  // Only open models have a schedule lag.
  const isOpen = summary.scenarios.some(({ schedule_lag_us }) => schedule_lag_us !== null);
  return {
    axes,
    charts: [
      ...(points.length === 0 ? [] : chartsOverTime(points, isOpen, chartLimits(summary))),
      ...(classes === undefined ? [] : [classes.chart]),
      ...curve.charts,
    ],
    start: Math.round(Date.parse(summary.started_at) / 1_000),
    marks: phaseMarks(summary),
    details: endpointDetails(summary),
  };
}

/**
 * Creates the charts over time. `open` states whether the run has an open model: if true, the
 * charts include scheduled and dropped iterations. `limits` contains the threshold limits to draw,
 * keyed by chart title.
 */
export function chartsOverTime(
  points: readonly SecondRow[],
  open: boolean,
  limits: Readonly<Record<string, readonly Limit[]>> = {},
): Chart[] {
  const of = (key: keyof SecondRow) => points.map((point) => point[key]);
  const percentileLines = mapPercentiles((_, key): Series => ({
    label: key,
    tone: PERCENTILE_TONES[key],
    values: points.map((point) => point.requests === 0 ? null : point[key]),
  }));
  const scheduled: Series[] = open
    ? [{ label: "iterations scheduled", tone: "quiet", values: of("scheduled"), dashed: true }]
    : [];
  // Closed models drop no iterations.
  const dropped: Series[] = open
    ? [{ label: "dropped iterations", tone: "warn", values: of("dropped") }]
    : [];
  return [
    {
      title: "Throughput",
      label: "per second",
      axis: "seconds",
      unit: "rate",
      series: [
        { label: "requests", tone: "one", values: of("requests") },
        { label: "iterations started", tone: "two", values: of("started") },
        ...scheduled,
      ],
    },
    {
      title: "Latency",
      label: "response time",
      limits: limits.Latency ?? [],
      axis: "seconds",
      unit: "ms",
      series: Object.values(percentileLines).reverse(),
    },
    {
      title: "Errors",
      label: "share of requests",
      limits: limits.Errors ?? [],
      axis: "seconds",
      unit: "share",
      series: [{ label: "failed requests", tone: "warn", values: of("failedShare") }],
    },
    {
      title: "VUs",
      label: open ? "VUs, iterations/s" : "VUs",
      axis: "seconds",
      unit: "count",
      series: [
        { label: "active VUs", tone: "one", values: of("vus"), stepped: true },
        ...dropped,
      ],
    },
  ];
}

/**
 * Reports which requests of a summary have corrected latencies: no requests, only the first request
 * of each iteration (`some`), or all requests.
 */
export function correctedSamples(summary: Summary): "none" | "some" | "all" {
  const [plain, corrected] = latencies(summary);
  if (corrected.count === 0) return "none";
  return corrected.count === plain.count ? "all" : "some";
}

function latencies({ histograms }: Summary): Histogram[] {
  const names = ["http_req_duration", "http_req_latency_corrected"];
  return names.map((name) => decodeHistogram(histograms.metrics[name] ?? ""));
}

function percentiles(summary: Summary): { x: number[]; charts: Chart[] } {
  const lines = [
    { label: "http_req_duration", tone: "one" as const },
    { label: "corrected", tone: "three" as const },
  ];
  // Curves of different sets of requests are not comparable.
  const shown = latencies(summary).slice(0, correctedSamples(summary) === "all" ? 2 : 1);
  const { x, values } = alignCurves(shown.map(percentileCurve));
  const series = shown.map(({ count: n }, i) => ({
    ...lines[i],
    label: `${lines[i].label} (n = ${count(n)})`,
    values: values[i],
  })).filter((_, i) => shown[i].count > 0);
  if (series.length === 0) return { x, charts: [] };
  return {
    x,
    charts: [{
      title: "Latency by percentile",
      label: "response time",
      axis: "percentiles",
      unit: "ms",
      series,
      limits: chartLimits(summary).Latency,
    }],
  };
}
