import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { withDoubles } from "./doubles.ts";
import { isMap } from "../base/exact_number.ts";
import { withMovedHeaders } from "./targets.ts";
import type { Plan } from "./schema/plan.ts";

/**
 * Returns the plan with the overlay `name` merged into it. Maps are merged key by key. Scalars and
 * lists of the overlay replace those of the plan. If the overlay replaces the base URL, `Origin`
 * and `Referer` headers with the old origin change to the new one. If the plan has no overlay with
 * this name, throws a `UsageError` that lists the plan's overlays.
 */
export function mergeEnv(plan: Plan, name: string): Plan {
  const { env = {}, ...base } = plan;
  if (!Object.hasOwn(env, name)) throw new UsageError(unknownEnv(name, Object.keys(env)));
  const overlay = env[name] as Partial<Plan>;
  const baseUrl: unknown = overlay.defaults?.http?.base_url;
  const moved = typeof baseUrl === "string" ? withMovedHeaders(base, baseUrl) : base;
  return withDoubles(mergeMaps(moved, overlay)) as Plan;
}

/**
 * Merges two values recursively. Maps are merged key by key. Any other value in `over` replaces the
 * one in `base`. Does not change the arguments.
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
