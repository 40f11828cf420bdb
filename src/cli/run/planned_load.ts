import { count, formatMs, perSecond, plural } from "../../base/format.ts";
import type { RatePoint } from "../../plan/kinds/scenario.ts";
import { isOpenModel, maxVus, rateCurve, type Scenario } from "../../plan/kinds/executors.ts";
import { numberedRequests } from "../../plan/kinds/list_requests.ts";
import { partitionCount, type Shard, WHOLE } from "../../plan/partition.ts";
import { filesRead, filesWritten } from "../../plan/request_texts.ts";
import type { Plan, Threshold } from "../../plan/schema/plan.ts";
import { targets } from "../../plan/targets.ts";
import {
  peakRate,
  type RequestRange,
  requestRange,
  timedCurve,
  type WeightedCurve,
} from "../../plan/predicted_load.ts";
import { expectedIterations, latestEndMs, latestStartMs } from "../../engine/progress.ts";

/** Facts about the run of a scenario that can be predicted from the plan. */
export interface ScenarioFacts {
  readonly name: string;
  readonly executor: string;
  /** Name of the scenario after which this scenario starts, if any. */
  readonly after?: string;
  /**
   * Start of the scenario's schedule, in seconds after the start of the run. If the scenario
   * follows another one, assumes that the earlier scenario takes its full scheduled time and its
   * full `graceful_stop`.
   */
  readonly startSeconds: number;
  /** End of the scenario's schedule, in seconds after the start of the run. */
  readonly endSeconds: number;
  readonly mayEndEarlier: boolean;
  readonly maxVus: number;
  /** Number of iterations. Absent if the number depends on response times. */
  readonly iterations?: number;
  /** Highest rate in iterations per second. Absent for closed models. */
  readonly peakRate?: number;
  readonly requestsPerIteration: RequestRange;
  /** Expected number of requests. Absent if the number depends on responses or response times. */
  readonly requests?: number;
}

/** Facts about a run that can be predicted from its plan. */
export interface PlanFacts {
  readonly name: string;
  /**
   * Origins to which the plan sends requests, in the order of the plan. Empty if no URL contains an
   * origin.
   */
  readonly targets: readonly string[];
  /** True if a URL is relative, but the plan has no base URL. */
  readonly needsBaseUrl: boolean;
  readonly seconds: number;
  readonly maxVus: number;
  /** Expected number of requests. Absent if the number depends on responses or response times. */
  readonly requests?: number;
  /** True if a complete run sends exactly `requests` requests, apart from redirects. */
  readonly requestsAreExact: boolean;
  /** True if a request follows redirects, which `requests` does not include. */
  readonly followsRedirects: boolean;
  /**
   * Highest expected rate in requests per second. Absent if the rate depends on responses or
   * response times.
   */
  readonly peakRequestRate?: number;
  readonly filesRead: readonly string[];
  readonly filesWritten: readonly string[];
  readonly thresholds: readonly string[];
  readonly scenarios: readonly ScenarioFacts[];
}

/**
 * Predicts what a run of a plan, or of a shard of it, will do. Keeps environment variables in
 * targets as written in the plan.
 */
export function planFacts(plan: Plan, shard: Shard = WHOLE): PlanFacts {
  const { name = "", scenarios, thresholds = {}, defaults } = plan;
  const follows = defaults?.http?.follow_redirects ?? true;
  const { origins, firstWithoutBase } = targets(plan, () => undefined);
  const facts = Object.entries(scenarios).map(([name, scenario]) =>
    scenarioFacts(name, scenario, scenarios, shard)
  );
  const curves = Object.values(scenarios).map((scenario) =>
    timedCurve(scenario, latestStartMs(scenario, scenarios))
  );
  const requests = total(facts.map(({ requests }) => requests));
  const peak = Object.values(scenarios).every(({ executor }) => isOpenModel(executor))
    ? plannedPeak(curves, facts, shard)
    : undefined;
  return {
    name,
    targets: origins,
    needsBaseUrl: firstWithoutBase !== undefined,
    seconds: Math.max(...facts.map(({ endSeconds }) => endSeconds)),
    maxVus: facts.reduce((sum, { maxVus }) => sum + maxVus, 0),
    ...(requests !== undefined && { requests }),
    requestsAreExact: plan.setup === undefined && plan.teardown === undefined &&
      facts.every(({ mayEndEarlier, requestsPerIteration: { min, max } }) =>
        mayEndEarlier && min === max
      ),
    followsRedirects: numberedRequests(plan).some(({ follow_redirects }) =>
      follow_redirects ?? follows
    ),
    ...(peak !== undefined && { peakRequestRate: peak }),
    filesRead: [...new Set(filesRead(plan))],
    filesWritten: [...new Set(filesWritten(plan))],
    thresholds: Object.entries(thresholds).flatMap(([metric, list]) =>
      list.map((threshold) => `${metric}: ${thresholdText(threshold)}`)
    ),
    scenarios: facts,
  };
}

function scenarioFacts(
  name: string,
  scenario: Scenario,
  scenarios: Plan["scenarios"],
  shard: Shard,
): ScenarioFacts {
  const isOpen = isOpenModel(scenario.executor);
  const planned = expectedIterations(scenario, shard);
  const range = requestRange(scenario.flow);
  const isCounted = Number.isFinite(planned);
  return {
    name,
    executor: scenario.executor,
    ...(scenario.after !== undefined && { after: scenario.after }),
    startSeconds: latestStartMs(scenario, scenarios) / 1_000,
    endSeconds: latestEndMs(scenario, scenarios) / 1_000,
    mayEndEarlier: !isOpen && isCounted,
    maxVus: partitionCount(maxVus(scenario), shard),
    ...(isCounted && { iterations: planned }),
    ...(isOpen && { peakRate: peakRate([{ curve: rateCurve(scenario), each: 1 }]) }),
    requestsPerIteration: range,
    ...(isCounted && range.mean !== undefined &&
      { requests: Math.round(planned * range.mean) }),
  };
}

function thresholdText(threshold: Threshold): string {
  return typeof threshold === "string" ? threshold : threshold.threshold;
}

function plannedPeak(
  curves: readonly (readonly RatePoint[])[],
  facts: readonly ScenarioFacts[],
  shard: Shard,
): number | undefined {
  const weighted: WeightedCurve[] = [];
  for (const [i, { requestsPerIteration: { mean } }] of facts.entries()) {
    if (mean === undefined) return undefined;
    weighted.push({ curve: curves[i], each: mean });
  }
  return peakRate(weighted) / shard.of;
}

function total(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce<number | undefined>(
    (sum, number) => sum === undefined || number === undefined ? undefined : sum + number,
    0,
  );
}

export function describeLoad(facts: PlanFacts): string {
  const { scenarios, maxVus, requests, peakRequestRate: peak } = facts;
  return [
    `Load: ${plural(scenarios.length, "scenario")}`,
    `at most ${plural(maxVus, "VU")}`,
    plannedDuration(facts),
    ...(requests === undefined ? [] : [`about ${plural(requests, "request")}`]),
    ...(peak === undefined ? [] : [`peak ${perSecond(peak)}`]),
  ].join(", ");
}

function plannedDuration({ seconds, scenarios }: PlanFacts): string {
  const isLimit = scenarios.some(({ endSeconds, mayEndEarlier, after }) =>
    (mayEndEarlier || after !== undefined) && endSeconds === seconds
  );
  return (isLimit ? "at most " : "") + formatMs(seconds * 1_000);
}

/** Describes the load of a run by name: targets, duration, requests, peak rate and VUs. */
export function loadFacts(facts: PlanFacts): [name: string, text: string][] {
  const { targets, needsBaseUrl, requests, requestsAreExact, followsRedirects } = facts;
  const { peakRequestRate: peak, scenarios, maxVus } = facts;
  const unknown = (isOpen: boolean) =>
    isOpen ? "depends on the responses" : "depends on the response times of the target";
  const missing = needsBaseUrl ? ["not set: relative URLs need `--base-url URL`"] : [];
  return [
    ["targets", [...targets, ...missing].join(", ")],
    ["duration", plannedDuration(facts)],
    [
      "requests",
      requests === undefined
        ? unknown(scenarios.every(({ iterations }) => iterations !== undefined))
        : `${requestsAreExact ? "" : "about "}${count(requests)}` +
          (followsRedirects ? ", without redirects" : ""),
    ],
    [
      "peak",
      peak === undefined
        ? unknown(scenarios.every(({ peakRate }) => peakRate !== undefined))
        : `${perSecond(peak)} requests`,
    ],
    ["VUs", `at most ${count(maxVus)}`],
  ];
}
