import { CONDITIONS } from "./kinds/conditions/conditions.ts";
import { EXTRACTORS } from "./kinds/extractors/extractors.ts";
import type { Plan } from "./schema/plan.ts";

const BLOCKING: ReadonlySet<unknown> = new Set(
  [...Object.entries(CONDITIONS), ...Object.entries(EXTRACTORS)]
    .filter(([, { mayBlock }]) => mayBlock).map(([type]) => type),
);

/**
 * Reports whether a plan evaluates expressions, such as regular expressions, that can block a
 * thread for a long time, depending on the response. May return true for plans that never block.
 */
export function mayBlock({ setup, teardown, scenarios }: Plan): boolean {
  return hasBlocking([setup, teardown, scenarios]);
}

function hasBlocking(value: unknown): boolean {
  if (typeof value === "string") return value.includes("matches");
  if (typeof value !== "object" || value === null) return false;
  const { type, matches } = value as { readonly type?: unknown; readonly matches?: unknown };
  return BLOCKING.has(type) || matches !== undefined || Object.values(value).some(hasBlocking);
}
