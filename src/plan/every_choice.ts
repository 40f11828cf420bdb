import { kindsOf, type SchemaNode, unwrap } from "./values/schema_walk.ts";
import { type Step, step as stepSchema, STEPS } from "./kinds/steps.ts";
import type { Plan } from "./schema/plan.ts";
import * as z from "zod";

/**
 * Returns a copy of the plan in which each `random` step is replaced by the steps of all of its
 * choices, in sequence. Omits choices with a weight of 0, which no run selects.
 */
export function withEveryChoice(plan: Plan): Plan {
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]) => [
    name,
    { ...scenario, flow: everyChoice(scenario.flow) },
  ]);
  const { setup, teardown } = plan;
  return {
    ...plan,
    ...(setup && { setup: everyChoice(setup) }),
    ...(teardown && { teardown: everyChoice(teardown) }),
    scenarios: Object.fromEntries(scenarios),
  };
}

function everyChoice(flow: readonly Step[]): Step[] {
  return flow.flatMap((step) => {
    if (step.random !== undefined) {
      const { strategy = "weighted", choices } = step.random;
      return choices.filter(({ weight }) => strategy !== "weighted" || weight !== 0)
        .flatMap(({ steps }) => everyChoice(steps));
    }
    const nested = kindsOf(STEPS).flatMap((kind) => {
      const value = step[kind];
      const map = value === undefined ? undefined : listMapper(STEPS[kind].schema);
      return map === undefined ? [] : [[kind, map(value)] as const];
    });
    return [{ ...step, ...Object.fromEntries(nested) }];
  });
}

/**
 * Returns a function that applies `everyChoice` to all lists of steps in a value that matches
 * `schema`, or undefined if such values contain no steps. Because the function is derived from the
 * schema, it finds the nested steps of every kind of step.
 */
function listMapper(schema: SchemaNode): ((value: unknown) => unknown) | undefined {
  const node = unwrap(schema);
  if (node instanceof z.ZodArray) {
    if (node.element === stepSchema) return (value) => everyChoice(value as readonly Step[]);
    const map = listMapper(node.element);
    return map && ((value) => (value as readonly unknown[]).map(map));
  }
  if (!(node instanceof z.ZodObject)) return undefined;
  const members = Object.keys(node.shape).flatMap((key) => {
    const map = listMapper(node.shape[key]);
    return map === undefined ? [] : [[key, map] as const];
  });
  if (members.length === 0) return undefined;
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>;
    const changed = members.flatMap(([key, map]) =>
      given[key] === undefined ? [] : [[key, map(given[key])]]
    );
    return { ...given, ...Object.fromEntries(changed) };
  };
}
