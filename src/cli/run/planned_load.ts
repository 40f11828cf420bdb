import { formatMs } from "../../base/duration.ts";
import { perSecond, plural } from "../../base/format.ts";
import { expectedIterations } from "../../engine/expected_iterations.ts";
import { latestEndMs, latestStartMs } from "../../engine/scenario_times.ts";
import { maxVus, plannedIterations, type Scenario } from "../../plan/kinds/executors/executors.ts";
import { peakRate, timedCurve, type WeightedCurve } from "../../plan/rate_curves.ts";
import { requestRange } from "../../plan/request_range.ts";
import type { Plan } from "../../plan/schema/plan.ts";

/**
 * Describes the load of a plan in one line: its scenarios and VUs, its duration, the expected
 * number of requests, and the peak rate. Omits numbers that the plan does not determine.
 */
export function describeLoad({ scenarios }: Plan): string {
  const all = Object.values(scenarios);
  const ends = Math.max(...all.map((scenario) => latestEndMs(scenario, scenarios)));
  const isExact = all.every((scenario) =>
    scenario.after === undefined && plannedIterations(scenario) === Infinity
  );
  const requests = total(all.map(expectedRequests));
  const peak = plannedPeak(scenarios);
  return [
    `Load: ${plural(all.length, "scenario")}`,
    `at most ${plural(all.reduce((sum, scenario) => sum + maxVus(scenario), 0), "VU")}`,
    `${isExact ? "" : "at most "}${formatMs(ends)}`,
    ...(requests === undefined ? [] : [`about ${plural(Math.round(requests), "request")}`]),
    ...(peak === undefined ? [] : [`peak ${perSecond(peak)}`]),
  ].join(", ");
}

/**
 * Describes how many requests a run sends to the URLs (templates) for which `counts` returns true,
 * such as `1,200 requests`. Describes the minimum if the number depends on responses, and the number
 * per iteration if it depends on response times. If `once` is true, each scenario runs one iteration.
 */
export function describeRequests(
  { scenarios, setup = [], teardown = [] }: Plan,
  counts: (url: string) => boolean,
  once: boolean,
): string {
  const flows = [
    ...Object.values(scenarios).map((scenario) => ({
      flow: scenario.flow,
      times: once ? 1 : expectedIterations(scenario),
    })),
    ...[setup, teardown].map((flow) => ({ flow, times: 1 })),
  ];
  let [sum, isExact] = [0, true];
  for (const { flow, times } of flows) {
    const { min, max, mean } = requestRange(flow, counts);
    if (max === 0) continue;
    const each = mean ?? min;
    if (times === Infinity) return `${plural(Math.ceil(each), "request")} per iteration`;
    isExact &&= mean !== undefined;
    sum += times * each;
  }
  return `${isExact ? "" : "at least "}${plural(Math.round(sum), "request")}`;
}

/** Returns the expected number of requests, or undefined if the number depends on the responses. */
function expectedRequests(scenario: Scenario): number | undefined {
  const each = requestRange(scenario.flow).mean;
  const planned = expectedIterations(scenario);
  return each === undefined || planned === Infinity ? undefined : each * planned;
}

/**
 * Returns the highest planned rate in requests per second, or undefined if the rate depends on the
 * responses.
 */
function plannedPeak(scenarios: Plan["scenarios"]): number | undefined {
  const curves: WeightedCurve[] = [];
  for (const scenario of Object.values(scenarios)) {
    const each = requestRange(scenario.flow).mean;
    const curve = timedCurve(scenario, latestStartMs(scenario, scenarios));
    if (each === undefined || curve.length === 0) return undefined;
    curves.push({ curve, each });
  }
  return peakRate(curves);
}

function total(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce<number | undefined>(
    (sum, n) => sum === undefined || n === undefined ? undefined : sum + n,
    0,
  );
}
