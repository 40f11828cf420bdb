import { Histogram } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import {
  type ChangeVerdict,
  classifyChange,
  classifyTimeChange,
  type Estimate,
  type EstimatePair,
  inMs,
  percentileEstimate,
  shareEstimate,
} from "./change.ts";
import { COMPARED_PERCENTILES, metricKind } from "../stats.ts";
import type { Unit } from "../blocks.ts";

/** An endpoint that occurs in at least one of two runs. */
export interface ComparedEndpoint {
  readonly name: string;
  readonly scenario: string;
  readonly group: string;
  readonly before: EndpointStats | undefined;
  readonly after: EndpointStats | undefined;
  readonly p95: ChangeVerdict;
  readonly p50: ChangeVerdict;
  readonly failed: ChangeVerdict;
  /** Response times to show. */
  readonly time: ShownTime;
  /**
   * Estimates with 99% confidence intervals. Times are in ms. Absent if only one run has the
   * endpoint.
   */
  readonly estimates?: Readonly<Record<"p95" | "p50" | "failed", EstimatePair>>;
}

/** Values of the percentile that decides, in ms. Absent if a run has too few requests, or none. */
export interface ShownTime {
  readonly percentile?: "p95" | "p50";
  readonly before?: number;
  readonly after?: number;
}

/** Verdict on the response times of an endpoint. `mixed`: p95 and p50 moved in opposite ways. */
export type TimeVerdict = ChangeVerdict | "mixed";

/**
 * Returns the verdict on the response times of an endpoint, which is the verdict on p95. If there
 * are too few requests for p95, a significant change in p50 decides instead. An unchanged p50 does
 * not, because it says nothing about slow requests.
 */
export function timeVerdict({ p95, p50 }: Pick<ComparedEndpoint, "p95" | "p50">): TimeVerdict {
  const hasMoved = p50 === "worse" || p50 === "better";
  if (p95 === "not enough data") return hasMoved ? p50 : p95;
  return hasMoved && (p95 === "worse" || p95 === "better") && p95 !== p50 ? "mixed" : p95;
}

function shownTime(
  before: MeasuredEndpoint | undefined,
  after: MeasuredEndpoint | undefined,
): ShownTime {
  const percentile = (["p95", "p50"] as const).find((key) =>
    [before, after].every((run) => run === undefined || run[key].high < Infinity)
  );
  if (percentile === undefined) return {};
  return {
    percentile,
    ...(before && { before: before[percentile].value / 1_000 }),
    ...(after && { after: after[percentile].value / 1_000 }),
  };
}

/**
 * Compares the endpoints of two runs. Endpoints that became slower come first, then those that fail
 * more often, then all others. Within each of these groups, endpoints are sorted by the change in
 * p95 times the number of requests, largest first.
 */
export function comparedEndpoints(before: Summary, after: Summary): ComparedEndpoint[] {
  const [early, late] = [measureEndpoints(before), measureEndpoints(after)];
  const keys = new Set([...late.keys(), ...early.keys()]);
  const all = [...keys].map((key) => compared(early.get(key), late.get(key)));
  return all.sort((a, b) => order(a) - order(b) || impact(b) - impact(a));
}

/** Measurements of an endpoint in one run. */
export interface MeasuredEndpoint {
  readonly stats: EndpointStats;
  /** 95th percentile of `http_req_duration` in µs. */
  readonly p95: Estimate;
  /** Median of `http_req_duration` in µs. */
  readonly p50: Estimate;
  /** Share of failed requests, from 0 to 1. */
  readonly failed: Estimate;
}

/** Cache of the measured endpoints of each run, because decoding their histograms takes time. */
const MEASURED = new WeakMap<Summary, Map<string, MeasuredEndpoint>>();

function measureEndpoints(summary: Summary): ReadonlyMap<string, MeasuredEndpoint> {
  const known = MEASURED.get(summary) ?? measure(summary);
  MEASURED.set(summary, known);
  return known;
}

function measure({ endpoints, histograms }: Summary): Map<string, MeasuredEndpoint> {
  return new Map(endpoints.map((stats, i) => {
    const { scenario, group, name, method, failed, count, unsent = 0 } = stats;
    const text = histograms.endpoints[i];
    const histogram = text ? decodeHistogram(text) : new Histogram();
    const measured = {
      stats,
      p95: percentileEstimate(histogram, 95),
      p50: percentileEstimate(histogram, 50),
      failed: shareEstimate(failed, Math.max(count + unsent, failed)),
    };
    return [JSON.stringify([scenario, group, name, method]), measured];
  }));
}

function compared(
  before: MeasuredEndpoint | undefined,
  after: MeasuredEndpoint | undefined,
): ComparedEndpoint {
  const { name, scenario, group } = (after ?? before)!.stats;
  const time = shownTime(before, after);
  const common = { name, scenario, group, time, before: before?.stats, after: after?.stats };
  if (!before || !after) {
    const verdict = "not enough data";
    return { ...common, p95: verdict, p50: verdict, failed: verdict };
  }
  return {
    ...common,
    p95: classifyTimeChange(before.p95, after.p95),
    p50: classifyTimeChange(before.p50, after.p50),
    failed: classifyChange(before.failed, after.failed),
    estimates: {
      p95: { before: inMs(before.p95), after: inMs(after.p95) },
      p50: { before: inMs(before.p50), after: inMs(after.p50) },
      failed: { before: before.failed, after: after.failed },
    },
  };
}

/**
 * Returns the change in p95, in ms, times the number of requests. Returns 0 if only one run has the
 * endpoint.
 */
function impact({ before, after }: ComparedEndpoint): number {
  if (before === undefined || after === undefined) return 0;
  const change = after.http_req_duration["p(95)"] - before.http_req_duration["p(95)"];
  return Math.abs(change) * after.count;
}

function order(endpoint: ComparedEndpoint): number {
  const verdict = timeVerdict(endpoint);
  if (verdict === "worse" || verdict === "mixed") return 0;
  if (endpoint.failed === "worse") return 1;
  return verdict === "better" || endpoint.failed === "better" ? 2 : 3;
}

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
