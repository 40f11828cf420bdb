import type { Summary, ThresholdVerdict } from "../../../engine/summary/summary.ts";
import { plural } from "../../../base/format.ts";
import type { ChangeVerdict } from "./change.ts";
import { type ComparedEndpoint, comparedEndpoints } from "./compared_endpoints.ts";
import { comparedTotals } from "./compared_totals.ts";

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
 * Compares two runs. They are not comparable if they have no endpoint in common, or if one of them
 * recorded no requests, unless only the later run got no response: then it is worse.
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
  const isEmpty = [before, after].some(hasNoRequests);
  const counts = [
    ["no request of the later run got a response", isDead],
    ["a run recorded no requests", isEmpty && !isDead],
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
  const verdicts = comparedTotals(before, after).map(({ verdict }) => verdict);
  const has = (verdict: ChangeVerdict) =>
    verdicts.includes(verdict) || count("p95", verdict) > 0 || count("failed", verdict) > 0;
  if (broken > 0 || isDead) return { change: "worse", details };
  if (common === 0 || isEmpty) return { change: "not comparable", details };
  if (has("worse")) return { change: "worse", details };
  return { change: has("better") ? "better" : "within noise", details };
}

function hasNoResponse({ failure }: Summary): boolean {
  return failure === "no request got a response";
}

function hasNoRequests({ endpoints }: Summary): boolean {
  return endpoints.every(({ count, unsent = 0 }) => count + unsent === 0);
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
