import { formatMs } from "../../base/duration.ts";
import { count, perSecond, plural } from "../../base/format.ts";
import { latestEndMs, latestStartMs } from "../../engine/scenario_times.ts";
import { requestsPerIteration, scheduledIterations } from "../../plan/expected_requests.ts";
import {
  maxVus,
  plannedIterations,
  rateCurve,
  type Scenario,
} from "../../plan/kinds/executors/executors.ts";
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
  const peak = peakRate(scenarios);
  return [
    `Load: ${plural(all.length, "scenario")}`,
    `at most ${plural(all.reduce((sum, scenario) => sum + maxVus(scenario), 0), "VU")}`,
    `${isExact ? "" : "at most "}${formatMs(ends)}`,
    ...(requests === undefined ? [] : [`about ${count(requests)} requests`]),
    ...(peak === undefined ? [] : [`peak ${perSecond(peak)}`]),
  ].join(", ");
}

/** Returns the expected number of requests, or undefined if the number depends on the responses. */
function expectedRequests(scenario: Scenario): number | undefined {
  const each = requestsPerIteration(scenario.flow);
  const planned = rateCurve(scenario).length > 0
    ? scheduledIterations(scenario)
    : plannedIterations(scenario);
  return each === undefined || planned === Infinity ? undefined : each * planned;
}

/**
 * Returns the highest planned rate in requests per second, or undefined if the rate depends on the
 * responses.
 */
function peakRate(scenarios: Plan["scenarios"]): number | undefined {
  const curves = Object.values(scenarios).map((scenario) => {
    const each = requestsPerIteration(scenario.flow);
    const start = latestStartMs(scenario, scenarios) / 1_000;
    const points = rateCurve(scenario).map(({ seconds, rate }) => (
      { seconds: start + seconds, rate: rate * (each ?? NaN) }
    ));
    return points.length === 0 || Number.isNaN(points[0].rate) ? undefined : points;
  });
  const known = curves.filter((curve) => curve !== undefined);
  if (known.length < curves.length) return undefined;
  const times = known.flat().map(({ seconds }) => seconds);
  // A rate is highest at the start or the end of a stage.
  return Math.max(
    ...times.map((time) => known.reduce((sum, curve) => sum + rateAt(curve, time), 0)),
  );
}

function rateAt(
  curve: readonly { readonly seconds: number; readonly rate: number }[],
  time: number,
): number {
  let highest = 0;
  curve.slice(1).forEach((to, i) => {
    const from = curve[i];
    if (time < from.seconds || time > to.seconds) return;
    const share = to.seconds > from.seconds
      ? (time - from.seconds) / (to.seconds - from.seconds)
      : 1;
    highest = Math.max(highest, from.rate + (to.rate - from.rate) * share);
  });
  return highest;
}

function total(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce<number | undefined>(
    (sum, n) => sum === undefined || n === undefined ? undefined : sum + n,
    0,
  );
}
