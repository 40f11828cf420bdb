import type { Request, Step } from "./schema/step.ts";

/** The lists of steps that stand directly within a step. */
export function stepsWithin(step: Step): Step[][] {
  const { group, random, repeat, foreach, while: loop, during, retry, parallel } = step;
  const lists = [
    ...[group, repeat, foreach, loop, during, retry].map((holder) => holder?.steps),
    ...(random?.choices ?? []).map(({ steps }) => steps),
    step.if?.then,
    step.if?.else,
    ...(parallel?.branches ?? []),
  ];
  return lists.filter((steps) => steps !== undefined);
}

/** Every request of a flow, however deep it stands, in document order. */
export function* requestsOf(flow: readonly Step[]): Generator<Request> {
  for (const step of flow) {
    if (step.request) yield step.request;
    for (const steps of stepsWithin(step)) yield* requestsOf(steps);
  }
}
