import type { Histogram } from "../../../base/histogram.ts";
import { decodeHistogram } from "../../../base/histogram_encoding.ts";
import type { Summary } from "../../../engine/summary/summary.ts";
import { COMPARED_PERCENTILES } from "../../shown_times.ts";
import { metricKind } from "../../summary_stats.ts";
import { type ChangeVerdict, classifyChange, percentileEstimate, shareEstimate } from "./change.ts";
import { countCell, type NumberCell, shareCell, statCell, timeCell } from "../html_table.ts";

/** A metric over all requests, with its values in two runs. */
export interface ComparedTotal {
  readonly label: string;
  readonly before: NumberCell;
  readonly after: NumberCell;
  /**
   * Verdict on the change. Absent for metrics without better or worse values, such as the number of
   * requests.
   */
  readonly verdict?: ChangeVerdict;
}

/** Compares the metrics over all requests of two runs. */
export function comparedTotals(before: Summary, after: Summary): ComparedTotal[] {
  const [a, b] = [totals(before), totals(after)];
  const failed = classifyChange(
    shareEstimate(a.failed.passes, a.failed.total),
    shareEstimate(b.failed.passes, b.failed.total),
  );
  return [
    { label: "Requests", before: countCell(a.requests), after: countCell(b.requests) },
    { label: "Requests per second", before: statCell(a.rate), after: statCell(b.rate) },
    {
      label: "Failed requests",
      before: shareCell(a.failed.value),
      after: shareCell(b.failed.value),
      verdict: failed,
    },
    ...COMPARED_PERCENTILES.http_req_duration.map((percent) =>
      comparePercentile(percent, a.durations, b.durations)
    ),
    ...COMPARED_PERCENTILES.http_req_latency_corrected
      .map((percent) => comparePercentile(percent, a.corrected, b.corrected, "corrected "))
      .filter(({ before, after }) => before.value > 0 && after.value > 0),
    { label: "Dropped iterations", before: countCell(a.dropped), after: countCell(b.dropped) },
  ];
}

function comparePercentile(percent: number, a: Histogram, b: Histogram, label = ""): ComparedTotal {
  const [before, after] = [a, b].map((histogram) => percentileEstimate(histogram, percent));
  return {
    label: `${label}p${percent}`,
    before: timeCell(before.value / 1_000),
    after: timeCell(after.value / 1_000),
    verdict: classifyChange(before, after),
  };
}

function totals({ metrics, histograms }: Summary) {
  const counter = (name: string) => {
    const metric = metrics[name] && metricKind(metrics[name]);
    return metric?.kind === "counter" ? metric.stats : { count: 0, rate: 0 };
  };
  const failed = metrics.http_req_failed && metricKind(metrics.http_req_failed);
  const { passes, fails, value } = failed?.kind === "rate"
    ? failed.stats
    : { passes: 0, fails: 0, value: 0 };
  const histogram = (name: string) => decodeHistogram(histograms.metrics[name] ?? "");
  return {
    requests: counter("http_reqs").count,
    rate: counter("http_reqs").rate,
    dropped: counter("dropped_iterations").count,
    failed: { passes, value, total: passes + fails },
    durations: histogram("http_req_duration"),
    corrected: histogram("http_req_latency_corrected"),
  };
}
