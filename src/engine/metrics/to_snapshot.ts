import type { HistogramData } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_encoding.ts";
import type { MetricStats, Summary, TrendStats } from "../summary.ts";
import type { MetricData } from "./metric.ts";
import type { Snapshot } from "./snapshot.ts";

/** What was counted, out of a summary. Throws an Error when its histograms cannot be read. */
export function toSnapshot(summary: Summary): Snapshot {
  const { histograms } = summary;
  return {
    durationMs: summary.duration_ms,
    metrics: Object.fromEntries(
      Object.entries(summary.metrics).map((
        [name, figures],
      ) => [name, metricData(figures, histograms.metrics[name])]),
    ),
    checks: summary.checks,
    endpoints: summary.endpoints.map(({ http_req_duration, ...endpoint }, i) => ({
      ...endpoint,
      histogram: decode(histograms.endpoints[i], http_req_duration, 1_000),
    })),
    errors: summary.errors,
    scenarios: summary.scenarios.map(({ schedule_lag_us, ...scenario }, i) => ({
      ...scenario,
      lag: schedule_lag_us && decode(histograms.scenarios[i], schedule_lag_us, 1),
    })),
    timeline: summary.timeline,
  };
}

function metricData(figures: MetricStats, histogram: string | undefined): MetricData {
  if ("avg" in figures) {
    return { kind: "trend", histogram: decode(histogram, figures, 1_000) };
  }
  if ("passes" in figures) {
    const { passes, fails } = figures;
    return { kind: "rate", passes, total: passes + fails };
  }
  if ("count" in figures) return { kind: "counter", count: figures.count };
  return { kind: "gauge", ...figures };
}

/** The figures hold exactly what the encoding rounds. */
function decode(
  text: string | undefined,
  { avg, count, min, max }: TrendStats,
  unit: number,
): HistogramData {
  if (text === undefined) throw new Error("a histogram is missing");
  return decodeHistogram(text, {
    sum: Math.round(avg * count * unit),
    min: Math.round(min * unit),
    max: Math.round(max * unit),
  }).data();
}
