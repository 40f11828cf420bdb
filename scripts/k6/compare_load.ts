import type { Plan } from "../../src/plan/schema/plan.ts";
import { withShortPauses } from "./prepared_plan.ts";
import type { ReceivedRequest } from "./recording_server.ts";

/**
 * Options of `convert` for a log with 7.5 requests per second over ten minutes. Each plan runs for
 * six seconds with the executors that `convert` chose.
 */
export const LOADS: readonly (readonly string[])[] = [
  ["--shape", "--query", "--duration", "6s", "--speed", "10"],
  ["--busiest", "1m", "--no-static", "--duration", "6s", "--speed", "10"],
];

/** Returns a plan with short pauses, and with several thresholds, one of which fails. */
export function withVerdict(plan: Plan): Plan {
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]) => [name, {
    ...scenario,
    flow: withShortPauses(scenario.flow),
  }]);
  return {
    ...plan,
    scenarios: Object.fromEntries(scenarios),
    thresholds: {
      http_req_failed: ["rate<0.01"],
      http_req_duration: ["max<30s"],
      http_reqs: ["count>100", "count<100"],
    },
  };
}

/**
 * Describes how the requests of two runs of the same load differ, in number and in the mix of
 * targets. The numbers may differ by 2 requests plus 1%. If the random choices of `plan` send
 * different numbers of requests, another 3.3 standard deviations are allowed.
 */
export function loadDifferences(
  plan: Plan,
  expected: readonly ReceivedRequest[],
  actual: readonly ReceivedRequest[],
): string[] {
  const differences: string[] = [];
  const random = 3.3 * Math.sqrt(2 * expected.length * choiceVariance(plan));
  if (Math.abs(expected.length - actual.length) > 2 + expected.length / 100 + random) {
    differences.push(`${expected.length} requests, but k6 sent ${actual.length}`);
  }
  const [a, b] = [expected, actual].map((list) => Map.groupBy(list, ({ target }) => target));
  const targets = [...new Set([...a.keys(), ...b.keys()])];
  const chi = targets.reduce((sum, target) => {
    const [x, y] = [a, b].map((counts) => counts.get(target)?.length ?? 0);
    return sum + (x - y) ** 2 / (x + y);
  }, 0);
  const limit = chiSquaredLimit(targets.length - 1);
  if (chi > limit) differences.push(`mix: χ² = ${chi.toFixed(1)} (limit ${limit.toFixed(1)})`);
  return differences;
}

/**
 * Returns the variance of the number of requests per iteration that results from the random choices
 * in the flow's first step.
 */
function choiceVariance({ scenarios }: Plan): number {
  const { choices = [] } = Object.values(scenarios)[0].flow[0].random ?? {};
  const sizes = choices.map(({ weight = 1, steps }) => ({
    weight,
    requests: steps.filter(({ request }) => request !== undefined).length,
  }));
  const total = sizes.reduce((sum, { weight }) => sum + weight, 0);
  const mean = sizes.reduce((sum, { weight, requests }) => sum + weight * requests, 0) / total;
  return sizes.reduce((sum, { weight, requests }) => sum + weight * (requests - mean) ** 2, 0) /
    total;
}

/** Returns the 0.999 quantile of a chi-squared distribution (Wilson–Hilferty approximation). */
function chiSquaredLimit(freedom: number): number {
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 3.09 * Math.sqrt(spread)) ** 3;
}
