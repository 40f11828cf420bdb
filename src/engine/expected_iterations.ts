import { plannedIterations, rateCurve, type Scenario } from "../plan/kinds/executors/executors.ts";
import { curveArea } from "../plan/rate_curves.ts";
import { wholeCount } from "./kinds/executors/arrivals.ts";

/**
 * Returns the number of iterations that a scenario starts: the scheduled number for open models,
 * and the configured number for closed models. Returns `Infinity` if the number depends on response
 * times.
 */
export function expectedIterations(scenario: Scenario): number {
  const curve = rateCurve(scenario);
  return curve.length > 0 ? wholeCount(curveArea(curve)) : plannedIterations(scenario);
}
