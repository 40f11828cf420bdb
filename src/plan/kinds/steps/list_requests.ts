import { z } from "zod";
import { type SchemaNode, unwrap } from "../../values/schema_walk.ts";
import { kindsOf } from "../../values/kinds_of.ts";
import type { Request } from "./request.ts";
import { type Step, step as stepSchema, STEPS } from "./steps.ts";

/** Returns the lists of steps directly within a step, in the order of the text. */
export function stepLists(step: Step): readonly (readonly Step[])[] {
  finders ??= kindsOf(STEPS).map((kind) => [kind, listFinder(STEPS[kind].schema)] as const);
  for (const [kind, find] of finders) {
    const value = step[kind];
    if (value !== undefined) return find?.(value) ?? [];
  }
  return [];
}

/** Returns the lists of steps in a value of one schema. */
type ListFinder = (value: unknown) => readonly (readonly Step[])[];

let finders: readonly (readonly [kind: keyof Step, find: ListFinder | undefined])[] | undefined;

/**
 * Returns a function that finds the lists of steps in values of the schema, or undefined if the schema
 * has none. It is derived from the schema so that no kind of step can omit some of its steps.
 */
function listFinder(schema: SchemaNode): ListFinder | undefined {
  const node = unwrap(schema);
  if (node instanceof z.ZodArray) {
    if (node.element === stepSchema) return (value) => [value as readonly Step[]];
    const find = listFinder(node.element);
    return find && ((value) => (value as readonly unknown[]).flatMap(find));
  }
  if (!(node instanceof z.ZodObject)) return undefined;
  const members = Object.keys(node.shape).flatMap((key) => {
    const find = listFinder(node.shape[key]);
    return find === undefined ? [] : [[key, find] as const];
  });
  if (members.length === 0) return undefined;
  return (value) => {
    const map = value as Readonly<Record<string, unknown>>;
    return members.flatMap(([key, find]) => map[key] === undefined ? [] : find(map[key]));
  };
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
