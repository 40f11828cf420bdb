import type { Request, Step } from "./schema/step.ts";

/** The lists of steps directly within a step, in the order of the text. */
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

/** Every request of a flow, however deep it stands, in the order of the text. */
export function* listRequests(flow: readonly Step[]): Generator<Request> {
  for (const step of flow) {
    if (step.request) yield step.request;
    for (const steps of stepLists(step)) yield* listRequests(steps);
  }
}

/** How many requests a flow is written with, each counted once however often it is played. */
export function countRequests(flow: readonly Step[]): number {
  return [...listRequests(flow)].length;
}
