import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { plural } from "../../base/format.ts";
import type { ChangeVerdict, Estimate } from "./change.ts";
import {
  type ComparedEndpoint,
  comparedEndpoints,
  type ComparedTotal,
  comparedTotals,
  type TimeVerdict,
  timeVerdict,
} from "./compared_metrics.ts";
import {
  coverSamePart,
  hasNoRequests,
  hasNoResponse,
  isSameRun,
  partialReasons,
} from "./run_differences.ts";
import type { Unit } from "../blocks.ts";

/** Overall result of comparing a later run with an earlier run. */
export type RunChange = Exclude<ChangeVerdict, "not enough data"> | "not comparable";

/** Result of a comparison of two runs. */
export interface RunComparison {
  /**
   * Verdict on the later run. It is `worse` if requests are significantly slower or fail more
   * often, if a threshold newly fails, or if only the later run got no response.
   */
  readonly change: RunChange;
  /** Numbers of endpoints and thresholds that changed, as text. Contains no recorded text. */
  readonly details: string;
  /** Metrics that changed significantly. Empty if the runs are not comparable. */
  readonly changes: readonly MetricChange[];
  /** Thresholds that failed only in the later run. */
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
export function compareRuns(
  before: Summary,
  after: Summary,
  endpoints: readonly ComparedEndpoint[] = comparedEndpoints(before, after),
): RunComparison {
  const both = endpoints.filter(({ before, after }) => before && after);
  const totals = comparedTotals(before, after);
  const broken = newlyFailing(before, after);
  const isDead = hasNoResponse(after) && !hasNoResponse(before);
  const blockers = isDead ? [] : incomparableReasons(before, after);
  const details = [
    ...(isDead ? ["no request in the later run got a response"] : blockers),
    ...(both.length === 0 ? [] : [...totalChanges(totals), ...endpointChanges(both)]),
    ...(broken.length > 0 ? [`${plural(broken.length, "threshold")} newly failing`] : []),
    ...(0 < both.length && both.length < endpoints.length
      ? [`${both.length} of ${endpoints.length} endpoints occur in both runs`]
      : []),
    ...(both.length === 0 ? ["the two runs have no endpoint in common"] : []),
  ].join(", ");
  const verdicts = [
    ...totals.map(({ verdict }) => verdict),
    ...both.flatMap((endpoint) => [timeVerdict(endpoint), endpoint.failed]),
  ];
  const wasDead = hasNoResponse(before);
  const isComparable = both.length > 0 && blockers.length === 0;
  // The response times of a run without a response are those of failed connections.
  const changes = isComparable && !isDead ? metricChanges(totals, both) : [];
  const result = (change: RunChange, text = details) => ({
    change,
    details: text,
    changes,
    broken,
  });
  if (isDead || broken.length > 0 && !wasDead) return result("worse");
  if (!isComparable) return result("not comparable");
  if (verdicts.includes("worse") || verdicts.includes("mixed")) return result("worse");
  if (isTooShort(totals)) return result("not comparable", `a run has too few requests, ${details}`);
  return result(verdicts.includes("better") ? "better" : "within noise");
}

/**
 * Returns the reasons why two runs cannot be compared, for example because one of them is
 * incomplete.
 */
function incomparableReasons(before: Summary, after: Summary): string[] {
  const isEmpty = [before, after].some(hasNoRequests);
  const wasDead = hasNoResponse(before) && !isEmpty;
  return [
    ...(isEmpty ? ["a run recorded no requests"] : []),
    ...(wasDead
      ? [`no request in ${hasNoResponse(after) ? "either" : "the earlier"} run got a response`]
      : []),
    ...(isSameRun(before, after) ? ["the two files contain the same run"] : []),
    ...(coverSamePart(before, after) ? [] : [`${partialRuns(before, after)} incomplete`]),
  ];
}

/** Reports whether one of the runs has too few requests to compare the p95 of all requests. */
function isTooShort(totals: readonly ComparedTotal[]): boolean {
  return totals.every(({ label }) => label !== "p95");
}

function totalChanges(totals: readonly ComparedTotal[]): string[] {
  const words = [["worse", "slower", "more often"], ["better", "faster", "less often"]] as const;
  return words.flatMap(([change, speed, often]) => {
    const changed = totals.filter(({ verdict }) => verdict === change);
    const times = changed.filter(({ unit }) => unit === "time").map(({ label }) => label);
    return [
      ...(times.length > 0 ? [`all requests ${speed} (${times.join(", ")})`] : []),
      ...(changed.length > times.length ? [`all requests failing ${often}`] : []),
    ];
  });
}

/**
 * Formats the numbers of endpoints that became slower or faster, that fail more or less often, or
 * that have too few requests. Returns one string for each number, such as `2 endpoints slower`.
 */
function endpointChanges(endpoints: readonly ComparedEndpoint[]): string[] {
  const times = endpoints.map(timeVerdict);
  const failures = endpoints.map(({ failed }) => failed);
  const count = (verdicts: readonly TimeVerdict[], verdict: TimeVerdict) =>
    verdicts.filter((one) => one === verdict).length;
  const mixed = count(times, "mixed");
  const [fewer, unknown] = [count(failures, "better"), count(times, "not enough data")];
  return [
    `${plural(count(times, "worse"), "endpoint")} slower`,
    `${count(times, "better")} faster`,
    ...(mixed > 0 ? [`${mixed} mixed`] : []),
    `${plural(count(failures, "worse"), "endpoint")} failing more often`,
    ...(fewer > 0 ? [`${fewer} less often`] : []),
    ...(unknown > 0 ? [`${unknown} with too few requests`] : []),
  ];
}

/**
 * Returns the subject and the verb of a sentence about the incomplete runs, such as `the later run
 * is`.
 */
function partialRuns(before: Summary, after: Summary): string {
  const [early, late] = [before, after].map((summary) => partialReasons(summary).length > 0);
  if (early && late) return "both runs are";
  return early ? "the earlier run is" : "the later run is";
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

/** A metric that changed significantly between two runs. */
export interface MetricChange {
  /** Name of the metric, such as `corrected p50`. */
  readonly metric: string;
  /** Endpoint of the metric. Absent if the metric covers all requests. */
  readonly endpoint?: string;
  readonly unit: Unit;
  /**
   * Values in the earlier run (`before`) and the later run (`after`), with their 99% confidence
   * intervals.
   */
  readonly before: Estimate;
  readonly after: Estimate;
  readonly verdict: "worse" | "better";
}

function metricChanges(
  totals: readonly ComparedTotal[],
  endpoints: readonly ComparedEndpoint[],
): MetricChange[] {
  return [
    ...totals.flatMap(({ label, unit, verdict, estimates }) =>
      changed({ metric: label, unit }, verdict, estimates)
    ),
    ...endpoints.flatMap((endpoint) => {
      const { name, failed, estimates, time } = endpoint;
      const decided = timeVerdict(endpoint) === "mixed"
        ? ["p95", "p50"] as const
        : time.percentile
        ? [time.percentile]
        : [];
      return [
        ...decided.flatMap((percentile) =>
          changed(
            { metric: percentile, endpoint: name, unit: "time" },
            endpoint[percentile],
            estimates?.[percentile],
          )
        ),
        ...changed(
          { metric: "Failed requests", endpoint: name, unit: "share" },
          failed,
          estimates?.failed,
        ),
      ];
    }),
  ];
}

function changed(
  metric: Pick<MetricChange, "metric" | "endpoint" | "unit">,
  verdict: ComparedTotal["verdict"],
  estimates: ComparedTotal["estimates"],
): MetricChange[] {
  if (estimates === undefined || verdict !== "worse" && verdict !== "better") return [];
  return [{ ...metric, ...estimates, verdict }];
}

/** A threshold that failed only in the later of two runs. */
export interface BrokenThreshold {
  /** Result in the earlier run. Undefined if that run does not have the threshold. */
  readonly before: ThresholdVerdict | undefined;
  readonly after: ThresholdVerdict;
}
