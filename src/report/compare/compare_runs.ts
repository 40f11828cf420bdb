import { plural } from "../../base/format.ts";
import { Histogram } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import type { Unit } from "../blocks.ts";
import { metricKind } from "../stats.ts";
import {
  type ChangeVerdict,
  classifyChange,
  classifyTimeChange,
  type Estimate,
  percentileEstimate,
  shareEstimate,
} from "./change.ts";
import { type ComparedRun, partialReasons } from "./run_differences.ts";

/** Overall result of comparing a later run with an earlier run. */
export type RunChange = Exclude<ChangeVerdict, "not enough data"> | "not comparable";

/** Result of a comparison of two runs. */
export interface RunComparison {
  readonly change: RunChange;
  /** Numbers of endpoints and thresholds that changed, as text. Contains no recorded text. */
  readonly details: string;
  /** Metrics over all requests. */
  readonly metrics: readonly ComparedMetric[];
  readonly endpoints: readonly ComparedEndpoint[];
}

/**
 * Compares two runs. The later run is worse if none of its requests got a response, or if a
 * threshold newly fails, even if a run is incomplete. The exception is an earlier run in which no
 * request got a response. Otherwise, the runs are not comparable if they have no endpoint in common
 * or are copies of the same run, if one of them recorded no requests or got no response, or if they
 * cover different parts of their plans. If one of them has too few requests, they are comparable
 * only if a metric is worse.
 */
export function compareRuns(before: Summary, after: Summary): RunComparison {
  const metrics = compareMetrics(before, after);
  const endpoints = compareEndpoints(before, after);
  const broken = newlyFailing(before, after);
  const both = endpoints.filter(({ metrics }) => metrics !== undefined);
  const isDead = hasNoResponse(after) && !hasNoResponse(before);
  const blockers = isDead ? [] : incomparableReasons(before, after);
  const details = [
    ...(isDead ? ["no request in the later run got a response"] : blockers),
    ...(both.length === 0 ? [] : [...totalChanges(metrics), ...endpointChanges(both)]),
    ...(broken > 0 ? [`${plural(broken, "threshold")} newly failing`] : []),
    ...(0 < both.length && both.length < endpoints.length
      ? [`${both.length} of ${endpoints.length} endpoints occur in both runs`]
      : []),
    ...(both.length === 0 ? ["the two runs have no endpoint in common"] : []),
  ].join(", ");
  const isComparable = both.length > 0 && blockers.length === 0;
  const result = (change: RunChange, text = details) => {
    return { change, details: text, metrics, endpoints };
  };
  if (isDead || broken > 0 && !hasNoResponse(before)) return result("worse");
  if (!isComparable) return result("not comparable");
  const verdicts = [...metrics, ...both.flatMap(decisiveMetrics)].map(({ verdict }) => verdict);
  if (verdicts.includes("worse")) return result("worse");
  if (metrics.every(({ label }) => label !== "p95")) {
    return result("not comparable", `a run has too few requests, ${details}`);
  }
  return result(verdicts.includes("better") ? "better" : "within noise");
}

function incomparableReasons(before: Summary, after: Summary): string[] {
  const isEmpty = [before, after].some(hasNoRequests);
  const wasDead = hasNoResponse(before) && !isEmpty;
  const [early, late] = [before, after].map((summary) => partialReasons(summary).length > 0);
  const partial = early && late ? "both runs are" : `the ${early ? "earlier" : "later"} run is`;
  return [
    ...(isEmpty ? ["a run recorded no requests"] : []),
    ...(wasDead
      ? [`no request in ${hasNoResponse(after) ? "either" : "the earlier"} run got a response`]
      : []),
    ...(isSameRun(before, after) ? ["the two files contain the same run"] : []),
    ...(coverSamePart(before, after) ? [] : [`${partial} incomplete`]),
  ];
}

function totalChanges(metrics: readonly ComparedMetric[]): string[] {
  const words = [["worse", "slower", "more often"], ["better", "faster", "less often"]] as const;
  return words.flatMap(([change, speed, often]) => {
    const changed = metrics.filter(({ verdict }) => verdict === change);
    const times = changed.filter(({ unit }) => unit === "time").map(({ label }) => label);
    return [
      ...(times.length > 0 ? [`all requests ${speed} (${times.join(", ")})`] : []),
      ...(changed.length > times.length ? [`all requests failing ${often}`] : []),
    ];
  });
}

function endpointChanges(endpoints: readonly ComparedEndpoint[]): string[] {
  const times = (change: ComparedEndpoint["change"]) =>
    endpoints.filter((endpoint) => endpoint.change === change).length;
  const failures = (change: ChangeVerdict) =>
    endpoints.filter(({ metrics }) => metrics?.failed.verdict === change).length;
  const [mixed, unknown, fewer] = [times("mixed"), times("not enough data"), failures("better")];
  return [
    `${plural(times("worse"), "endpoint")} slower`,
    `${times("better")} faster`,
    ...(mixed > 0 ? [`${mixed} mixed`] : []),
    `${plural(failures("worse"), "endpoint")} failing more often`,
    ...(fewer > 0 ? [`${fewer} less often`] : []),
    ...(unknown > 0 ? [`${unknown} with too few requests`] : []),
  ];
}

/** Returns the thresholds of the earlier run, keyed by `thresholdKey`. */
export function earlierThresholds({ thresholds }: Summary): Map<string, ThresholdVerdict> {
  return new Map(thresholds.map((verdict) => [thresholdKey(verdict), verdict]));
}

/** Returns a key that identifies the same threshold in two runs. */
export function thresholdKey({ metric, expression }: ThresholdVerdict): string {
  return `${metric} ${expression}`;
}

function newlyFailing(before: Summary, after: Summary): number {
  const early = earlierThresholds(before);
  return after.thresholds.filter((verdict) =>
    verdict.passed === false && early.get(thresholdKey(verdict))?.passed !== false
  ).length;
}

/** A metric in two runs. */
export interface ComparedMetric {
  readonly label: string;
  readonly unit: Unit;
  /** Values with their 99% confidence intervals. Times are in ms, and shares are from 0 to 1. */
  readonly before: Estimate;
  readonly after: Estimate;
  /**
   * Verdict on the change. Absent if neither higher nor lower values are better, as for the number
   * of requests.
   */
  readonly verdict?: ChangeVerdict;
}

/** A metric in two runs where lower values are better. */
export interface JudgedMetric extends ComparedMetric {
  readonly verdict: ChangeVerdict;
}

export interface ComparedEndpoint extends Pick<EndpointStats, "name" | "scenario" | "group"> {
  readonly before: EndpointStats | undefined;
  readonly after: EndpointStats | undefined;
  /** Absent if only one run has the endpoint. */
  readonly metrics?: Readonly<Record<"p95" | "p50" | "failed", JudgedMetric>>;
  /** Verdict on the response times. `mixed`: p95 and p50 moved in opposite ways. */
  readonly change: ChangeVerdict | "mixed";
  /** Response times to show. */
  readonly time: ShownTime;
}

/** Values of the percentile that decides, in ms. Absent if a run has too few requests, or none. */
export interface ShownTime {
  readonly percentile?: "p95" | "p50";
  readonly before?: number;
  readonly after?: number;
}

const SHOWN = { plain: [50, 90, 95, 99, 99.9], corrected: [50, 99] };

interface RunMetric extends Pick<ComparedMetric, "label" | "unit"> {
  readonly value: Estimate;
  /** True if lower values are better. */
  readonly isJudged?: boolean;
}

function runMetrics({ metrics, histograms }: Summary): RunMetric[] {
  const counter = (name: string) => {
    const metric = metrics[name] && metricKind(metrics[name]);
    return metric?.kind === "counter" ? metric.stats : { count: 0, rate: 0 };
  };
  const rate = metrics.http_req_failed && metricKind(metrics.http_req_failed);
  const { passes: failed, fails: good } = rate?.kind === "rate"
    ? rate.stats
    : { passes: 0, fails: 0 };
  const exact = (label: string, unit: Unit, value: number): RunMetric => ({
    label,
    unit,
    value: { value, low: value, high: value },
  });
  const times = (name: string, percents: readonly number[], label: string) => {
    const histogram = decodeHistogram(histograms.metrics[name] ?? "");
    return percents.map((percent): RunMetric => ({
      label: `${label}p${percent}`,
      unit: "time",
      value: timeEstimate(histogram, percent),
      isJudged: true,
    }));
  };
  return [
    exact("Requests", "count", counter("http_reqs").count),
    exact("Requests per second", "number", counter("http_reqs").rate),
    {
      label: "Failed requests",
      unit: "share",
      value: shareEstimate(failed, failed + good),
      isJudged: true,
    },
    ...times("http_req_duration", SHOWN.plain, ""),
    ...times("http_req_latency_corrected", SHOWN.corrected, "corrected "),
    exact("Dropped iterations", "count", counter("dropped_iterations").count),
    exact("Failures", "count", failed),
  ];
}

/** Compares the metrics over all requests. Omits percentiles for which a run has too few. */
function compareMetrics(before: Summary, after: Summary): ComparedMetric[] {
  const late = runMetrics(after);
  const all = runMetrics(before).map(({ value, isJudged, ...metric }, i): ComparedMetric => {
    const values = { before: value, after: late[i].value };
    return isJudged ? judged(metric, value, late[i].value) : { ...metric, ...values };
  });
  return all.filter(({ label, unit, verdict }) =>
    label !== "Failures" && (unit !== "time" || verdict !== "not enough data")
  );
}

function judged(
  metric: Pick<ComparedMetric, "label" | "unit">,
  before: Estimate,
  after: Estimate,
): JudgedMetric {
  const classify = metric.unit === "time" ? classifyTimeChange : classifyChange;
  return { ...metric, before, after, verdict: classify(before, after) };
}

/** Measurements of an endpoint in one run. Times are in ms. */
interface MeasuredEndpoint extends Readonly<Record<"p95" | "p50" | "failed", Estimate>> {
  readonly stats: EndpointStats;
}

function measureEndpoints({ endpoints, histograms }: Summary): Map<string, MeasuredEndpoint> {
  return new Map(endpoints.map((stats, i) => {
    const { scenario, group, name, method, failed, count, unsent = 0 } = stats;
    const text = histograms.endpoints[i];
    const histogram = text ? decodeHistogram(text) : new Histogram();
    return [JSON.stringify([scenario, group, name, method]), {
      stats,
      p95: timeEstimate(histogram, 95),
      p50: timeEstimate(histogram, 50),
      failed: shareEstimate(failed, count + unsent),
    }];
  }));
}

function compareEndpoints(before: Summary, after: Summary): ComparedEndpoint[] {
  const [early, late] = [measureEndpoints(before), measureEndpoints(after)];
  return [...new Set([...late.keys(), ...early.keys()])]
    .map((key) => compareEndpoint(early.get(key), late.get(key)))
    .sort((a, b) => rank(a) - rank(b) || impact(b) - impact(a));
}

function compareEndpoint(
  before: MeasuredEndpoint | undefined,
  after: MeasuredEndpoint | undefined,
): ComparedEndpoint {
  const { name, scenario, group } = (after ?? before)!.stats;
  const percentile = (["p95", "p50"] as const).find((key) =>
    [before, after].every((run) => run === undefined || run[key].high < Infinity)
  );
  const time: ShownTime = percentile === undefined ? {} : {
    percentile,
    ...(before && { before: before[percentile].value }),
    ...(after && { after: after[percentile].value }),
  };
  const common = { name, scenario, group, time, before: before?.stats, after: after?.stats };
  if (!before || !after) return { ...common, change: "not enough data" };
  const compare = (key: "p95" | "p50" | "failed", label: string, unit: Unit) =>
    judged({ label, unit }, before[key], after[key]);
  const metrics = {
    p95: compare("p95", "p95", "time"),
    p50: compare("p50", "p50", "time"),
    failed: compare("failed", "Failed requests", "share"),
  };
  return { ...common, metrics, change: timeVerdict(metrics.p95.verdict, metrics.p50.verdict) };
}

/**
 * Returns the verdict on the response times of an endpoint, which is the verdict on p95. If there
 * are too few requests for p95, a significant change in p50 decides instead. An unchanged p50 does
 * not, because it says nothing about slow requests.
 */
export function timeVerdict(p95: ChangeVerdict, p50: ChangeVerdict): ComparedEndpoint["change"] {
  const hasMoved = p50 === "worse" || p50 === "better";
  if (p95 === "not enough data") return hasMoved ? p50 : p95;
  return hasMoved && (p95 === "worse" || p95 === "better") && p95 !== p50 ? "mixed" : p95;
}

/** Returns the metrics that decide on an endpoint: one or two percentiles, and the failures. */
function decisiveMetrics({ metrics, change, time }: ComparedEndpoint): ComparedMetric[] {
  const { p95, p50, failed } = metrics!;
  if (change === "mixed") return [p95, p50, failed];
  return time.percentile === undefined ? [failed] : [metrics![time.percentile], failed];
}

function rank({ change, metrics }: ComparedEndpoint): number {
  const failed = metrics?.failed.verdict;
  if (change === "worse" || change === "mixed") return 0;
  if (failed === "worse") return 1;
  return change === "better" || failed === "better" ? 2 : 3;
}

function impact({ before, after }: ComparedEndpoint): number {
  if (before === undefined || after === undefined) return 0;
  const change = after.http_req_duration["p(95)"] - before.http_req_duration["p(95)"];
  return Math.abs(change) * after.count;
}

/** Values of a metric over all requests in several runs, in the order of the runs. */
export interface MetricHistory {
  readonly label: string;
  readonly unit: Unit;
  /** Value of each run. Undefined if the run has no value that can be compared. */
  readonly values: readonly (Estimate | undefined)[];
}

/** Metrics in a history of runs: name, label and unit. */
const HISTORY: readonly [name: string, label: string, unit: Unit][] = [
  ["p50", "p50", "time"],
  ["p95", "p95", "time"],
  ["p99", "p99", "time"],
  ["Failed requests", "Failed", "share"],
  ["Requests per second", "Requests/s", "number"],
  ["Failures", "Failures", "count"],
];

/**
 * Returns the metrics of each run over all requests. An incomplete run has a different load, so it
 * has no values, unless all runs cover the same part of their plans. A run in which no request got
 * a response has no response times: the recorded times are those of failed connections.
 */
export function metricHistories(runs: readonly ComparedRun[]): MetricHistory[] {
  const isSamePart = runs.every(({ summary }) => coverSamePart(runs[0].summary, summary));
  const known = runs.map(({ summary }) =>
    isSamePart || partialReasons(summary).length === 0 ? runMetrics(summary) : undefined
  );
  return HISTORY.map(([name, label, unit]) => ({
    label,
    unit,
    values: known.map((metrics, i) => {
      if (unit === "time" && hasNoResponse(runs[i].summary)) return undefined;
      const value = metrics?.find((metric) => metric.label === name)?.value;
      return value?.high === Infinity ? undefined : value;
    }),
  }));
}

/** Estimates a percentile, in ms, of response times in µs. */
function timeEstimate(histogram: Histogram, percentile: number): Estimate {
  const { value, low, high } = percentileEstimate(histogram, percentile);
  return { value: value / 1_000, low: low / 1_000, high: high / 1_000 };
}

/** Reports whether a run recorded requests, but none of them got a response. */
function hasNoResponse({ failure }: Summary): boolean {
  return failure === "no request got a response";
}

/** Reports whether a run recorded no requests. */
function hasNoRequests({ endpoints }: Summary): boolean {
  return endpoints.every(({ count, unsent = 0 }) => count + unsent === 0);
}

/** Reports whether two summaries are copies of the same run. */
function isSameRun(a: Summary, b: Summary): boolean {
  const identity = ({ started_at, duration_ms, seed, shards, metrics }: Summary) =>
    JSON.stringify([started_at, duration_ms, seed, shards, metrics]);
  return identity(a) === identity(b);
}

/** Reports whether two runs cover the same part of their plans. */
function coverSamePart(a: Summary, b: Summary): boolean {
  const isPartial = [a, b].some((summary) => partialReasons(summary).length > 0);
  return !isPartial || isSameShard(a, b);
}

function isSameShard(a: Summary, b: Summary): boolean {
  return a.shards.length === 1 && b.shards.length === 1 &&
    a.shards[0].shard === b.shards[0].shard && a.shards[0].shard !== "1/1" &&
    a.ending === "finished" && b.ending === "finished" &&
    a.accepted.length === 0 && b.accepted.length === 0;
}
