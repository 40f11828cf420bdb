import * as z from "zod";
import { isMap } from "../../base/exact_number.ts";
import { plural } from "../../base/format.ts";
import { isEntryList, RECORDED_TAG, type WrittenTags } from "../text/metrics.ts";
import { kindsOf, type SchemaNode, unwrap } from "../values/schema_walk.ts";
import type { Request } from "./request.ts";
import { type Step, step as stepSchema, STEPS, type StepVariant } from "./steps.ts";

/** Directly within a step, such as both branches of an `if`, in plan order. */
export function stepLists(step: Step): readonly (readonly Step[])[] {
  finders ??= kindsOf(STEPS).map((kind) => [kind, listFinder(STEPS[kind].schema)] as const);
  for (const [kind, find] of finders) {
    const value = step[kind];
    if (value !== undefined) return find?.(value) ?? NO_LISTS;
  }
  return NO_LISTS;
}

const NO_LISTS: readonly (readonly Step[])[] = [];

type ListFinder = (value: unknown) => readonly (readonly Step[])[];

let finders: readonly (readonly [kind: keyof Step, find: ListFinder | undefined])[] | undefined;

/**
 * Finds the lists of steps in values of a schema, or undefined if it has none. Derived from the
 * schema, it covers every kind of step.
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

/** A step that connects to a server. */
interface Connection {
  /** Name of the step, if it has one. */
  readonly name: string | undefined;
  /** URL to which the step connects (a template). */
  readonly url: string;
}

/** Yields all steps of a flow that connect to a server, including nested ones, in plan order. */
export function* listConnections(flow: readonly Step[]): Generator<Connection> {
  for (const step of flow) {
    for (const kind of kindsOf(STEPS)) {
      const { url }: StepVariant = STEPS[kind];
      const value = step[kind] as { readonly name?: string } | undefined;
      if (url && value !== undefined) yield { name: value.name, url: url(value as never) };
    }
    for (const steps of stepLists(step)) yield* listConnections(steps);
  }
}

/** Yields all steps of a flow, including those nested in other steps, in plan order. */
export function* listSteps(flow: readonly Step[]): Generator<Step> {
  for (const step of flow) {
    yield step;
    for (const steps of stepLists(step)) yield* listSteps(steps);
  }
}

/**
 * Replaces each step, also nested ones, with what `change` returns. Calls it in plan order, for a
 * step before those nested in it.
 */
export function mapSteps(
  flow: readonly Step[],
  change: (step: Step) => Step | readonly Step[],
): Step[] {
  return flow.flatMap((step) =>
    [change(step)].flat().map((changed) => {
      const lists = new Set<unknown>(stepLists(changed));
      const copied = (value: unknown): unknown => {
        if (lists.has(value)) return mapSteps(value as readonly Step[], change);
        if (Array.isArray(value)) return value.map(copied);
        if (!isMap(value)) return value;
        return Object.fromEntries(
          Object.entries(value).map(([key, member]) => [key, copied(member)]),
        );
      };
      return lists.size === 0 ? changed : copied(changed) as Step;
    })
  );
}

/** Returns a copy of a plan in which `change` has replaced the steps of all flows (`mapSteps`). */
export function mapPlanSteps<Plan extends Flows>(
  plan: Plan,
  change: (step: Step) => Step | readonly Step[],
): Plan {
  const { setup, teardown, scenarios } = plan;
  const mapped = Object.entries(scenarios).map(([name, scenario]) => [
    name,
    { ...scenario, flow: mapSteps(scenario.flow, change) },
  ]);
  return {
    ...plan,
    ...(setup && { setup: mapSteps(setup, change) }),
    ...(teardown && { teardown: mapSteps(teardown, change) }),
    scenarios: Object.fromEntries(mapped),
  };
}

/** Yields all requests of a flow, including those nested in other steps, in plan order. */
export function* listRequests(flow: readonly Step[]): Generator<Request> {
  for (const step of listSteps(flow)) if (step.request) yield step.request;
}

/** The part of a plan that contains its scenarios. */
interface Scenarios {
  readonly scenarios: Readonly<Record<string, { readonly flow: readonly Step[] }>>;
}

/**
 * Returns the requests in the scenarios of a plan, in plan order. All commands number requests in
 * this order, from 1. WebSockets and the requests of `setup` and `teardown` have no number.
 */
export function numberedRequests({ scenarios }: Scenarios): Request[] {
  return Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
}

/** Maps the name of each scenario of a plan to the number of its first request. */
export function firstRequestNumbers({ scenarios }: Scenarios): Map<string, number> {
  let next = 1;
  return new Map(
    Object.entries(scenarios).map(([name, { flow }]) => {
      const first = next;
      next += [...listRequests(flow)].length;
      return [name, first];
    }),
  );
}

/**
 * One-based index of the HAR entry in the tag `recorded`, the last one if there are several.
 * Undefined if absent or invalid.
 */
export function recordedEntry(request: { readonly tags?: WrittenTags }): number | undefined {
  return recordedEntries(request).at(-1);
}

/** One-based, from the tag `recorded`; empty if absent or invalid. */
export function recordedEntries({ tags }: { readonly tags?: WrittenTags }): number[] {
  const value = tags?.[RECORDED_TAG];
  return isEntryList(value) ? String(value).split(",").map(Number) : [];
}

/** Maps each HAR entry (numbered from 1) to the number of the request that replays it. */
export function requestNumbers(plan: Scenarios): Map<number, number> {
  const numbers = new Map<number, number>();
  numberedRequests(plan).forEach((request, i) => {
    for (const entry of recordedEntries(request)) numbers.set(entry, i + 1);
  });
  return numbers;
}

/** Number of requests and messages that flows contain. A step that is repeated counts only once. */
interface SentCounts {
  /** Number of requests, including those that open a WebSocket. */
  readonly requests: number;
  /** Number of WebSocket messages. */
  readonly messages: number;
}

/** Counts the requests and WebSocket messages in flows, including those nested in other steps. */
export function countSent(flows: readonly (readonly Step[])[]): SentCounts {
  let requests = 0;
  let messages = 0;
  for (const flow of flows) {
    for (const { request, websocket, send } of listSteps(flow)) {
      if (request || websocket) requests++;
      if (send) messages++;
    }
  }
  return { requests, messages };
}

/** Formats the numbers of requests and messages, such as `3 requests and 1 WebSocket message`. */
export function describeSent({ requests, messages }: SentCounts): string {
  const sent = plural(requests, "request");
  return messages === 0 ? sent : `${sent} and ${plural(messages, "WebSocket message")}`;
}

/** The parts of a plan that contain steps. */
interface Flows extends Scenarios {
  readonly setup?: readonly Step[];
  readonly teardown?: readonly Step[];
}

/** Returns the flows of a plan: `setup`, `teardown` and the flows of its scenarios. */
export function allFlows({ setup, teardown, scenarios }: Flows): (readonly Step[])[] {
  const flows: (readonly Step[])[] = Object.values(scenarios).map(({ flow }) => flow);
  return [...(setup ? [setup] : []), ...flows, ...(teardown ? [teardown] : [])];
}

/** Reports whether a plan contains a request that `convert` created from a recording. */
export function isRecorded(plan: Flows): boolean {
  return allFlows(plan).some((flow) =>
    listRequests(flow).some((request) => recordedEntries(request).length > 0)
  );
}

/**
 * Reports whether a plan replays recorded requests, and none of its requests has a check or an
 * assertion. A run of such a plan does not show whether the responses were as recorded.
 */
export function isUncheckedReplay(plan: Flows): boolean {
  const isChecked = ({ checks = [], assert = [] }: Request) => checks.length + assert.length > 0;
  return isRecorded(plan) && !allFlows(plan).some((flow) => listRequests(flow).some(isChecked));
}
