import { plural } from "../../base/format.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import type { ChangeVerdict } from "./change.ts";
import {
  type ComparedEndpoint,
  type ComparedMetric,
  compareEndpoints,
  compareMetrics,
  decisiveMetrics,
} from "./compared_metrics.ts";
import {
  coverSamePart,
  hasNoRequests,
  hasNoResponse,
  isSameRun,
  partialReasons,
} from "./run_differences.ts";

/** Overall result of comparing a later run with an earlier run. */
export type RunChange = Exclude<ChangeVerdict, "not enough data"> | "not comparable";

/** A threshold that failed only in the later of two runs. */
export interface BrokenThreshold {
  /** Result in the earlier run. Undefined if that run does not have the threshold. */
  readonly before: ThresholdVerdict | undefined;
  readonly after: ThresholdVerdict;
}

/** Result of a comparison of two runs. */
export interface RunComparison {
  readonly change: RunChange;
  /** Numbers of endpoints and thresholds that changed, as text. Contains no recorded text. */
  readonly details: string;
  /** Metrics over all requests. */
  readonly metrics: readonly ComparedMetric[];
  readonly endpoints: readonly ComparedEndpoint[];
  /** Metrics that changed significantly. Empty if the runs are not comparable. */
  readonly changes: readonly ComparedMetric[];
  readonly broken: readonly BrokenThreshold[];
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
    ...(broken.length > 0 ? [`${plural(broken.length, "threshold")} newly failing`] : []),
    ...(0 < both.length && both.length < endpoints.length
      ? [`${both.length} of ${endpoints.length} endpoints occur in both runs`]
      : []),
    ...(both.length === 0 ? ["the two runs have no endpoint in common"] : []),
  ].join(", ");
  const isComparable = both.length > 0 && blockers.length === 0;
  // The response times of a run without a response are those of failed connections.
  const changes = isComparable && !isDead
    ? [...metrics, ...both.flatMap(decisiveMetrics)].filter(({ verdict }) =>
      verdict === "worse" || verdict === "better"
    )
    : [];
  const result = (change: RunChange, text = details) => {
    return { change, details: text, metrics, endpoints, changes, broken };
  };
  if (isDead || broken.length > 0 && !hasNoResponse(before)) return result("worse");
  if (!isComparable) return result("not comparable");
  if (changes.some(({ verdict }) => verdict === "worse")) return result("worse");
  if (metrics.every(({ label }) => label !== "p95")) {
    return result("not comparable", `a run has too few requests, ${details}`);
  }
  return result(changes.length > 0 ? "better" : "within noise");
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

function newlyFailing(before: Summary, after: Summary): BrokenThreshold[] {
  const early = earlierThresholds(before);
  return after.thresholds
    .map((verdict) => ({ before: early.get(thresholdKey(verdict)), after: verdict }))
    .filter(({ before, after }) => after.passed === false && before?.passed !== false);
}
