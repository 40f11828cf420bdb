import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { withDoubles } from "./doubles.ts";
import { isMap } from "../base/exact_number.ts";
import type { Plan } from "./schema/plan.ts";

/**
 * Returns the plan with the overlay `name` merged into it. Maps are merged key by key; scalars and
 * lists of the overlay replace those of the plan. Throws a `UsageError` that lists the overlays of
 * the plan if `name` is not one of them.
 */
export function mergeEnv(plan: Plan, name: string): Plan {
  const { env = {}, ...base } = plan;
  if (!Object.hasOwn(env, name)) throw new UsageError(unknownEnv(name, Object.keys(env)));
  return withDoubles(mergeMaps(base, env[name])) as Plan;
}

/**
 * Returns a deep merge of two values. Maps are merged key by key. Other values of `over` replace
 * those of `base`. Does not change the arguments.
 */
export function mergeMaps(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    merged.set(key, merged.has(key) ? mergeMaps(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

function unknownEnv(name: string, known: readonly string[]): string {
  if (known.length === 0) return `no overlay "${name}": the plan has no \`env\``;
  const hint = didYouMean(name, known);
  return `no overlay "${name}": the plan has ${known.join(", ")}${hint && `; ${hint}`}`;
}
