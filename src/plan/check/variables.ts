import { didYouMean } from "../../base/nearest.ts";
import { formatPath, type Path } from "../diagnostic.ts";
import { isMap } from "../schema/branch.ts";
import { RESERVED } from "../template.ts";
import type { CheckContext, VariableUse } from "./check_context.ts";

/** A flow gives a variable here: what follows may use it. */
export function declareVariable(walk: CheckContext, name: string): void {
  if (RESERVED.has(name)) {
    walk.report(
      "reserved-name",
      `"${name}" has a meaning of its own in \${…}: choose another name`,
    );
  }
  if (!walk.given.has(name)) walk.given.set(name, [...walk.path]);
}

/** `${NAME}` stands here: something before it must give it, or, if not `early`, something in the flow. */
export function recordUse(
  walk: CheckContext,
  name: string,
  within: number | undefined,
  early = true,
): void {
  if (!walk.given.has(name)) walk.uses.push({ name, path: [...walk.path], within, early });
}

/** Reports the uses that nothing gives, or that come too early. `given` is all that the flow gives. */
export function reportUses(
  walk: CheckContext,
  uses: readonly VariableUse[],
  given: ReadonlyMap<string, Path>,
): void {
  for (const { name, path, within, early } of uses) {
    const place = given.get(name);
    if (place && !early) continue;
    const base = { severity: "error" as const, path, ...(within !== undefined && { within }) };
    if (place) {
      const message = `\${${name}} is used before it is extracted: ${formatPath(place)} gives it`;
      walk.diagnostics.push({ ...base, code: "variable-too-early", message });
    } else {
      const message = `no earlier step gives \${${name}}: expected an extractor or a foreach`;
      const hint = hintFor(walk, name, given);
      walk.diagnostics.push({ ...base, code: "unknown-variable", message, ...(hint && { hint }) });
    }
  }
}

function hintFor(walk: CheckContext, name: string, given: ReadonlyMap<string, Path>): string {
  const declared = (space: string) => Object.keys(inSection(walk.plan, space));
  if (declared("variables").includes(name)) return `did you mean \${vars.${name}}?`;
  if (declared("secrets").includes(name)) return `did you mean \${secrets.${name}}?`;
  return didYouMean(name, [...given.keys(), ...RESERVED]);
}

/** A section of the plan that maps names to something; empty when there is none. */
export function inSection(plan: unknown, key: string): Record<string, unknown> {
  const value = isMap(plan) && Object.hasOwn(plan, key) ? plan[key] : undefined;
  return isMap(value) ? value : {};
}
