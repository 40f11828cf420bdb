import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { plural } from "../../base/format.ts";
import type { ChangeVerdict } from "./change.ts";
import { type ComparedEndpoint, comparedEndpoints } from "./compared_endpoints.ts";
import { comparedTotals } from "./compared_totals.ts";
import {
  coverSamePart,
  hasNoRequests,
  hasNoResponse,
  isSameRun,
  partialReasons,
} from "./doubts.ts";

/** Overall result of comparing a later run with an earlier run. */
export type RunChange = ChangeVerdict | "not comparable";

/** Result of a comparison of two runs. */
export interface RunComparison {
  /**
   * Verdict on the later run. It is `worse` if requests are significantly slower or fail more
   * often, if a threshold newly fails, or if only the later run got no response.
   */
  readonly change: RunChange;
  /** Numbers of endpoints and thresholds that changed, as text. Contains no recorded text. */
  readonly details: string;
}

/**
 * Compares two runs. They are not comparable if they have no endpoint in common, if they are copies
 * of the same run, if one of them is incomplete, or if one of them recorded no requests or got no
 * response. Otherwise, and even if one of them is incomplete, the later run is worse if a threshold
 * newly fails or if only the later run got no response.
 */
export function compareRuns(
  before: Summary,
  after: Summary,
  endpoints: readonly ComparedEndpoint[] = comparedEndpoints(before, after),
): RunComparison {
  const common = endpoints.filter(({ before, after }) => before && after).length;
  const count = (metric: "p95" | "failed", verdict: ChangeVerdict) =>
    endpoints.filter((endpoint) => endpoint[metric] === verdict).length;
  const broken = newlyFailing(before, after).length;
  const isDead = hasNoResponse(after) && !hasNoResponse(before);
  const isEmpty = [before, after].some(hasNoRequests) && !isDead;
  const wasDead = hasNoResponse(before) && !isEmpty;
  const isSame = isSameRun(before, after);
  const isPartial = !coverSamePart(before, after);
  const totals = comparedTotals(before, after);
  const slower = totals.filter(({ unit, verdict }) => unit === "time" && verdict === "worse");
  const more = totals.some(({ unit, verdict }) => unit === "share" && verdict === "worse");
  const counts = [
    ["no request of the later run got a response", isDead],
    ["a run recorded no requests", isEmpty],
    [
      `no request of ${hasNoResponse(after) ? "either" : "the earlier"} run got a response`,
      wasDead,
    ],
    ["the two files contain the same run", isSame],
    [`${partialRuns(before, after)} incomplete`, isPartial],
    [
      `all requests slower (${slower.map(({ label }) => label).join(", ")})`,
      common > 0 && slower.length > 0,
    ],
    ["all requests failing more often", common > 0 && more],
    [`${plural(count("p95", "worse"), "endpoint")} slower`, common > 0],
    [`${count("p95", "better")} faster`, common > 0],
    [`${count("failed", "worse")} failing more often`, common > 0],
    [`${count("failed", "better")} less often`, count("failed", "better") > 0],
    [`${plural(broken, "threshold")} newly failing`, broken > 0],
    [
      `${common} of ${endpoints.length} endpoints are in both`,
      0 < common && common < endpoints.length,
    ],
    ["the two runs have no endpoint in common", common === 0],
  ] as const;
  const details = counts.filter(([, isShown]) => isShown).map(([text]) => text).join(", ");
  const verdicts = totals.map(({ verdict }) => verdict);
  const has = (verdict: ChangeVerdict) =>
    verdicts.includes(verdict) || count("p95", verdict) > 0 || count("failed", verdict) > 0;
  if (isDead || broken > 0 && !wasDead) return { change: "worse", details };
  if (common === 0 || isEmpty || wasDead || isSame || isPartial) {
    return { change: "not comparable", details };
  }
  if (has("worse")) return { change: "worse", details };
  return { change: has("better") ? "better" : "within noise", details };
}

/** Names the incomplete ones of two runs, with a verb: `the later run is`. */
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

/** Returns the thresholds that failed in the later run but not in the earlier run. */
function newlyFailing(before: Summary, after: Summary): ThresholdVerdict[] {
  const early = earlierThresholds(before);
  return after.thresholds.filter((verdict) =>
    verdict.passed === false && early.get(thresholdKey(verdict))?.passed !== false
  );
}
