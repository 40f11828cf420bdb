import type { Request, Step } from "./steps.ts";

/** Returns the lists of steps directly within a step, in the order of the text. */
export function stepLists(step: Step): readonly (readonly Step[])[] {
  const { group, random, repeat, foreach, if: branch, while: loop, during, retry, parallel } = step;
  const single = [group, repeat, foreach, loop, during, retry].map((one) => one?.steps);
  const several = [
    ...random?.choices.map((choice) => choice.steps) ?? [],
    ...parallel?.branches ?? [],
    branch?.then,
    branch?.else,
  ];
  return [...single, ...several].filter((steps) => steps !== undefined);
}

/** Yields every request of a flow at any depth, in the order of the text. */
export function* listRequests(flow: readonly Step[]): Generator<Request> {
  for (const step of flow) {
    if (step.request) yield step.request;
    for (const steps of stepLists(step)) yield* listRequests(steps);
  }
}

/**
 * Returns the number of requests in a flow at any depth. Each counts once, even if it runs more often.
 */
export function countRequests(flow: readonly Step[]): number {
  return [...listRequests(flow)].length;
}
