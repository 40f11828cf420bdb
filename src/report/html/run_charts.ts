import { bytes, count, time } from "../../base/format.ts";
import type { Histogram } from "../../base/histogram.ts";
import { safeText } from "../../base/safe_text.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import { SeriesRecorder, toSeries } from "../../engine/metrics/endpoint_series.ts";
import { mapPercentiles, type PercentileKey } from "../../engine/summary/codes.ts";
import type { EndpointSeries, EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { parseSelector, parseThreshold } from "../../plan/rules/thresholds.ts";
import type { Chart, ChartData, EndpointDetail, Limit, Series, SeriesTone } from "../blocks.ts";
import { SHOWN_TIMES, statLabel } from "../stats.ts";
import {
  alignCurves,
  percentileCurve,
  type SecondRow,
  secondRows,
  type SeriesPoint,
  seriesPoints,
} from "./series.ts";

/** Color of each percentile's line in the chart of latency over time. */
const PERCENTILE_TONES: Readonly<Record<PercentileKey, SeriesTone>> = {
  p50: "two",
  p95: "one",
  p99: "three",
};

/** Creates the charts of a run: charts over time, and a chart of latency by percentile. */
export function runCharts(summary: Summary): ChartData {
  const points = secondRows(summary.timeline, summary.duration_ms);
  const curve = percentiles(summary);
  const total = new SeriesRecorder();
  for (const { series } of summary.endpoints) total.add(series);
  const series = total.data();
  const intervals = series === undefined ? [] : seriesPoints(series, summary.duration_ms);
  const statuses = series && statusChart(series, intervals);
  const axes = {
    seconds: points.map(({ at }) => at),
    intervals: intervals.map(({ at }) => at),
    percentiles: curve.x,
  };
  // Only open models have a schedule lag.
  const isOpen = summary.scenarios.some(({ schedule_lag_us }) => schedule_lag_us !== null);
  return {
    axes,
    charts: [
      ...(points.length === 0 ? [] : chartsOverTime(points, isOpen, chartLimits(summary))),
      ...(statuses !== undefined && statuses.series.length > 1 ? [statuses] : []),
      ...curve.charts,
    ],
    start: Math.round(Date.parse(summary.started_at) / 1_000),
    details: summary.endpoints.map((endpoint) => endpointDetail(endpoint, summary)),
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
      series: percentileLines((key) =>
        points.map((point) => point.requests === 0 ? null : point[key])
      ),
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

function percentileLines(of: (key: PercentileKey) => Series["values"]): Series[] {
  const lines = mapPercentiles((_, key): Series => {
    return { label: key, tone: PERCENTILE_TONES[key], values: of(key) };
  });
  return Object.values(lines).reverse();
}

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

/** Color of the line for each status class. `none` means that there was no response. */
const TONES: Readonly<Record<string, SeriesTone>> = {
  "1xx": "quiet",
  "2xx": "two",
  "3xx": "quiet",
  "4xx": "three",
  "5xx": "warn",
  none: "warn",
};

function statusChart({ statuses }: EndpointSeries, points: readonly SeriesPoint[]): Chart {
  return {
    title: "Responses by status",
    label: "per second",
    axis: "intervals",
    unit: "rate",
    series: Object.entries(statuses).map(([name, counts]) => ({
      label: name === "none" ? "no response" : name,
      tone: TONES[name] ?? "quiet",
      // The line for `no response` is dashed, because it has the same color as the line for 5xx.
      dashed: name === "none",
      values: meanRates(points, counts),
    })),
  };
}

function meanRates(points: readonly SeriesPoint[], counts: readonly number[]): number[] {
  return points.map((point) => Number((sumOver(point, counts) / point.seconds).toPrecision(4)));
}

function endpointDetail(endpoint: EndpointStats, summary: Summary): EndpointDetail {
  const { series = toSeries(1, []), http_req_duration } = endpoint;
  const { bytes_sent, bytes_received, omitted_headers = 0 } = endpoint;
  const points = seriesPoints(series, summary.duration_ms);
  const responses = statusChart(series, points);
  const failed: Series[] = endpoint.failed === 0 ? [] : [
    { label: "failed", tone: "warn", dashed: true, values: meanRates(points, series.failed) },
  ];
  return {
    facts: [
      ...SHOWN_TIMES.trends.map((key) => [statLabel(key), time(http_req_duration[key])] as const),
      ["sent", bytes(bytes_sent)],
      ["received", bytes(bytes_received)],
      ...(omitted_headers > 0 ? [["headers omitted", count(omitted_headers)] as const] : []),
    ],
    step: series.step,
    charts: [
      {
        title: "Latency",
        label: "response time",
        axis: "intervals",
        unit: "ms",
        series: percentileLines((key) =>
          points.map(({ from, to }) => {
            if (sumOver({ from, to }, series.count) === 0) return null;
            return Number(Math.max(0, ...series[key].slice(from, to)).toPrecision(3));
          })
        ),
        limits: endpointLimits(summary, endpoint),
      },
      { ...responses, series: [...responses.series, ...failed] },
    ],
  };
}

/** Thresholds of a summary or of a plan. */
export type LimitThresholds = readonly Pick<
  Summary["thresholds"][number],
  "metric" | "expression"
>[];

/**
 * Returns the limits that thresholds set for all requests, keyed by the title of the chart that
 * shows them: limits on percentiles and averages of the response time, and on the share of failed
 * requests.
 */
export function chartLimits({ thresholds }: { readonly thresholds: LimitThresholds }): {
  readonly Latency: readonly Limit[];
  readonly Errors: readonly Limit[];
} {
  return {
    Latency: limitsOf(thresholds, "http_req_duration", (tags) => tags.length === 0),
    Errors: limitsOf(thresholds, "http_req_failed", (tags) => tags.length === 0),
  };
}

/** Returns the limits that thresholds set on the response time of exactly this endpoint. */
export function endpointLimits(
  { thresholds }: Pick<Summary, "thresholds">,
  endpoint: EndpointStats,
): readonly Limit[] {
  const known = new Map(
    (["scenario", "group", "name", "method"] as const).map((key) => [key as string, endpoint[key]]),
  );
  return limitsOf(
    thresholds,
    "http_req_duration",
    (tags) => tags.length > 0 && tags.every(([tag, value]) => known.get(tag) === value),
  );
}

function limitsOf(
  thresholds: LimitThresholds,
  metric: string,
  selects: (tags: readonly (readonly [string, string])[]) => boolean,
): Limit[] {
  return thresholds.flatMap(({ metric: key, expression }) => {
    try {
      const selector = parseSelector(key);
      if (selector.metric !== metric || !selects(selector.tags)) return [];
      return [{ value: parseThreshold(expression).value, label: safeText(expression) }];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

/** Adds up the `values` of the intervals that a point covers. */
function sumOver(
  { from, to }: Pick<SeriesPoint, "from" | "to">,
  values: readonly number[],
): number {
  return values.slice(from, to).reduce((sum, n) => sum + n, 0);
}
