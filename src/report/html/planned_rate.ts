import type { Plan } from "../../plan/schema/plan.ts";
import type { RatePoint } from "../../plan/kinds/executors/executor.ts";
import { rateCurve } from "../../plan/kinds/executors/executors.ts";
import type { Step } from "../../plan/kinds/steps/steps.ts";
import { countRequests } from "../../plan/kinds/steps/list_requests.ts";

/** Returns the planned requests per second at a point of the run, from 0 (start) to 1 (end). */
export type PlannedRate = (at: number) => number;

/** Returns the planned rate and duration of a plan with one open scenario, as `convert` creates it from a log. */
export function plannedRate({ scenarios }: Plan): { rate: PlannedRate; seconds: number } {
  const [scenario] = Object.values(scenarios);
  const each = requestsPerIteration(scenario.flow);
  const curve = rateCurve(scenario);
  const { seconds } = curve[curve.length - 1];
  return { seconds, rate: (at) => each * rateAt(curve, at * seconds) };
}

function rateAt(curve: readonly RatePoint[], time: number): number {
  const next = curve.findIndex(({ seconds }) => seconds >= time);
  if (next <= 0) return next === 0 ? curve[0].rate : 0;
  const [a, b] = [curve[next - 1], curve[next]];
  return a.rate + (b.rate - a.rate) * (time - a.seconds) / (b.seconds - a.seconds || 1);
}

/** Returns the requests per iteration: the weighted average if the flow is one random choice. */
function requestsPerIteration(flow: readonly Step[]): number {
  const choices = flow.length === 1 ? flow[0].random?.choices : undefined;
  if (choices === undefined) return countRequests(flow);
  const weights = choices.map(({ weight }) => weight ?? 1);
  const sum = choices.reduce((sum, { steps }, i) => sum + weights[i] * countRequests(steps), 0);
  return sum / weights.reduce((a, b) => a + b, 0);
}
