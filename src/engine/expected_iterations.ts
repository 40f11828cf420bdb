import { plannedIterations, rateCurve, type Scenario } from "../plan/kinds/executors/executors.ts";
import { partitionCount, type Shard, WHOLE } from "../plan/partition.ts";
import { curveArea } from "../plan/rate_curves.ts";
import { wholeCount } from "./kinds/executors/arrivals.ts";

/**
 * Returns the number of iterations of a scenario that a shard starts (default: the whole plan): the
 * scheduled number for open models, and the configured number for closed models. Returns `Infinity`
 * if the number depends on response times.
 */
export function expectedIterations(scenario: Scenario, shard: Shard = WHOLE): number {
  const countInShard = (count: number) => partitionCount(count, shard);
  const curve = rateCurve(scenario);
  return curve.length > 0
    ? countInShard(wholeCount(curveArea(curve)))
    : plannedIterations(scenario, countInShard);
}
