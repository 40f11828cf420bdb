import { stepLists } from "./kinds/steps/list_requests.ts";
import type { Step } from "./kinds/steps/steps.ts";

/**
 * Returns the mean number of requests in one run of a flow, without redirects. Returns undefined if
 * the number depends on responses, for example because a loop with requests has a condition.
 */
export function requestsPerIteration(flow: readonly Step[]): number | undefined {
  let sum = 0;
  for (const step of flow) {
    const requests = requestsPerStep(step);
    if (requests === undefined) return undefined;
    sum += requests;
  }
  return sum;
}

function requestsPerStep(step: Step): number | undefined {
  const { request, websocket, repeat, random, foreach } = step;
  if (request) return 1;
  const lists = stepLists(step).map(requestsPerIteration);
  if (lists.some((requests) => requests === undefined)) return undefined;
  const counts = lists as number[];
  const sum = counts.reduce((sum, requests) => sum + requests, 0);
  if (websocket) return 1 + sum;
  if (repeat) return repeat.times * sum;
  if (foreach) {
    return Array.isArray(foreach.items) ? foreach.items.length * sum : zeroOrUnknown(sum);
  }
  if (random) {
    const isUniform = random.strategy !== undefined && random.strategy !== "weighted";
    const weights = random.choices.map(({ weight = 1 }) => isUniform ? 1 : weight);
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    return counts.reduce((sum, requests, i) => sum + requests * weights[i] / all, 0);
  }
  if (step.if || step.while || step.during || step.retry) return zeroOrUnknown(sum);
  return sum;
}

function zeroOrUnknown(requests: number): number | undefined {
  return requests === 0 ? 0 : undefined;
}
