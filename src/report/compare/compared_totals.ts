import type { Histogram } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { COMPARED_PERCENTILES } from "../shown_times.ts";
import { metricKind } from "../summary_stats.ts";
import {
  type ChangeVerdict,
  classifyChange,
  classifyTimeChange,
  type EstimatePair,
  inMs,
  percentileEstimate,
  shareEstimate,
} from "./change.ts";
import type { Unit } from "../blocks.ts";

/** A metric over all requests, with its values in two runs. */
export interface ComparedTotal {
  readonly label: string;
  readonly unit: Unit;
  readonly before: number;
  readonly after: number;
  /**
   * Verdict on the change. Absent if neither higher nor lower values are better, as for the number
   * of requests.
   */
  readonly verdict?: ChangeVerdict;
  /** Values with their confidence intervals. Present if there is a verdict. */
  readonly estimates?: EstimatePair;
}

/** Compares the metrics over all requests of two runs. */
export function comparedTotals(before: Summary, after: Summary): ComparedTotal[] {
  const [a, b] = [runTotals(before), runTotals(after)];
  const failed = {
    before: shareEstimate(a.failed.count, a.failed.of),
    after: shareEstimate(b.failed.count, b.failed.of),
  };
  return [
    { label: "Requests", unit: "count", before: a.requests, after: b.requests },
    { label: "Requests per second", unit: "number", before: a.rate, after: b.rate },
    {
      label: "Failed requests",
      unit: "share",
      before: a.failed.value,
      after: b.failed.value,
      verdict: classifyChange(failed.before, failed.after),
      estimates: failed,
    },
    ...COMPARED_PERCENTILES.http_req_duration.map((percent) =>
      comparePercentile(percent, a.durations, b.durations)
    ).filter(isKnown),
    ...COMPARED_PERCENTILES.http_req_latency_corrected
      .map((percent) => comparePercentile(percent, a.corrected, b.corrected, "corrected "))
      .filter((total) => isKnown(total) && total.before > 0 && total.after > 0),
    { label: "Dropped iterations", unit: "count", before: a.dropped, after: b.dropped },
  ];
}

function isKnown({ verdict }: ComparedTotal): boolean {
  return verdict !== "not enough data";
}

function comparePercentile(percent: number, a: Histogram, b: Histogram, label = ""): ComparedTotal {
  const [before, after] = [a, b].map((histogram) => percentileEstimate(histogram, percent));
  return {
    label: `${label}p${percent}`,
    unit: "time",
    before: before.value / 1_000,
    after: after.value / 1_000,
    verdict: classifyTimeChange(before, after),
    estimates: { before: inMs(before), after: inMs(after) },
  };
}

/** Counts and response times over all requests of a run. */
export interface RunTotals {
  readonly requests: number;
  /** Requests per second. */
  readonly rate: number;
  readonly dropped: number;
  /**
   * Number of failed requests, number of all requests, and the share of failed requests (0 to 1).
   */
  readonly failed: { readonly count: number; readonly of: number; readonly value: number };
  /** Values of `http_req_duration` in µs. */
  readonly durations: Histogram;
  /** Values of `http_req_latency_corrected` in µs. */
  readonly corrected: Histogram;
}

/** Returns the counts and response times over all requests of a run. */
export function runTotals({ metrics, histograms }: Summary): RunTotals {
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
    failed: { count: passes, of: passes + fails, value },
    durations: histogram("http_req_duration"),
    corrected: histogram("http_req_latency_corrected"),
  };
}
