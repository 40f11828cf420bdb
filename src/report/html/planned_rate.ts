import { durationMs } from "../../base/duration.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Scenario } from "../../plan/kinds/executors/executors.ts";
import type { Step } from "../../plan/kinds/steps/steps.ts";
import { countRequests } from "../../plan/kinds/steps/list_requests.ts";

/** Returns the planned requests per second at a point of the run, from 0 (start) to 1 (end). */
export type PlannedRate = (at: number) => number;

/** Returns the planned rate and duration of a plan with one open scenario, as `convert` creates it from a log. */
export function plannedRate({ scenarios }: Plan): { rate: PlannedRate; seconds: number } {
  const [scenario] = Object.values(scenarios);
  const each = requestsPerIteration(scenario.flow);
  const curve = plannedCurve(scenario);
  const seconds = curve[curve.length - 1].time;
  return { seconds, rate: (at) => each * rateAt(curve, at * seconds) };
}

interface Knot {
  readonly time: number;
  readonly rate: number;
}

function plannedCurve(scenario: Scenario): Knot[] {
  const second = (duration: string | number) => durationMs(duration)! / 1_000;
  if (scenario.executor === "constant-arrival-rate") {
    const rate = scenario.rate / second(scenario.time_unit ?? 1);
    return [{ time: 0, rate }, { time: second(scenario.duration), rate }];
  }
  if (scenario.executor !== "ramping-arrival-rate") {
    throw new TypeError(`a plan of ${scenario.executor} has no rate`);
  }
  const unit = second(scenario.time_unit ?? 1);
  const curve = [{ time: 0, rate: (scenario.start_rate ?? 0) / unit }];
  for (const { duration, target } of scenario.stages) {
    curve.push({ time: curve[curve.length - 1].time + second(duration), rate: target / unit });
  }
  return curve;
}

function rateAt(curve: readonly Knot[], time: number): number {
  const next = curve.findIndex((knot) => knot.time >= time);
  if (next <= 0) return next === 0 ? curve[0].rate : 0;
  const [a, b] = [curve[next - 1], curve[next]];
  return a.rate + (b.rate - a.rate) * (time - a.time) / (b.time - a.time || 1);
}

/** Returns the requests per iteration: the weighted average if the flow is one random choice. */
function requestsPerIteration(flow: readonly Step[]): number {
  const choices = flow.length === 1 ? flow[0].random?.choices : undefined;
  if (choices === undefined) return countRequests(flow);
  const weights = choices.map(({ weight }) => weight ?? 1);
  const sum = choices.reduce((sum, { steps }, i) => sum + weights[i] * countRequests(steps), 0);
  return sum / weights.reduce((a, b) => a + b, 0);
}
