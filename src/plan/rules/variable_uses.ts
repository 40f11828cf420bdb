import { didYouMean } from "../../base/nearest.ts";
import { formatPath, type Path } from "./diagnostic.ts";
import { isMap } from "../../base/exact_number.ts";
import { RESERVED } from "../expressions/expression.ts";
import type { CheckContext, VariableUse } from "./check_context.ts";

/** Records that the flow sets the variable `name` at the current path. Reports a reserved name. */
export function declareVariable(context: CheckContext, name: string): void {
  declareAt(context, name, [...context.path]);
}

function declareAt(context: CheckContext, name: string, path: Path): void {
  if (RESERVED.has(name)) {
    context.report(
      "reserved-name",
      `"${name}" has a special meaning in \`\${…}\`: choose another name`,
    );
  }
  if (!context.given.has(name)) context.given.set(name, path);
}

/** Records that an extractor sets the variable `name` at the current path. */
export function declareExtracted(context: CheckContext, name: string): void {
  const path = [...context.path];
  declareAt(context, name, path);
  context.extracted.push({ name, path });
}

/**
 * Records that the extractor whose key is at the current path has an effect even if no step uses
 * its variable.
 */
export function keepExtractor(context: CheckContext): void {
  const name = context.extracted.at(-1)?.name;
  if (name !== undefined) context.usedNames.add(name);
}

/**
 * Warns about each extracted variable whose name the plan uses nowhere. Overlays may use it, so
 * names that occur in the text of an overlay are not reported. A plan with errors is not checked,
 * because its uses of variables may be unknown.
 */
export function warnAboutUnused(context: CheckContext): void {
  if (context.diagnostics.some(({ severity }) => severity === "error")) return;
  const overlays = JSON.stringify(inSection(context.plan, "env"));
  for (const { name, path } of context.extracted) {
    if (context.usedNames.has(name) || overlays.includes(name)) continue;
    context.diagnostics.push({
      code: "unused-variable",
      severity: "warning",
      path,
      message: `no step uses \`\${${name}}\``,
      hint: "remove the extractor, unless it only tests that the response contains the value",
    });
  }
}

/**
 * Records a use of the variable `name` at the current path, unless an earlier step sets it.
 * `within` is the zero-based offset of the use in the text of the value, in UTF-16 code units. If
 * `early` is false, the variable may also be set by a later step.
 */
export function recordUse(
  context: CheckContext,
  name: string,
  within: number | undefined,
  early = true,
): void {
  context.usedNames.add(name);
  if (!context.given.has(name)) context.uses.push({ name, path: [...context.path], within, early });
}

/**
 * Records a use, at the current path, of the variable `name` that `setup` must set. `within` is the
 * zero-based offset of the use in the text of the value, in UTF-16 code units.
 */
export function recordSetupUse(
  context: CheckContext,
  name: string,
  within: number | undefined,
): void {
  context.usedNames.add(name);
  context.setupUses.push({ name, path: [...context.path], within, early: true });
}

/** Reports each use of a variable of `setup` that no step of `setup` sets. */
export function reportSetupUses(context: CheckContext): void {
  const known = context.setupGiven;
  for (const { name, path, within } of context.setupUses) {
    if (known.has(name)) continue;
    const list = known.size > 0
      ? `\`setup\` sets ${[...known].slice(0, 10).join(", ")}`
      : "the plan has no `setup` that sets variables";
    const hint = didYouMean(name, known);
    context.diagnostics.push({
      code: "unknown-variable",
      severity: "error",
      path,
      message: `no step sets \`\${setup.${name}}\`: ${list}`,
      ...(within !== undefined && { within }),
      ...(hint && { hint }),
    });
  }
}

/** Starts checking a flow. The flow does not share variables with earlier flows. */
export function startFlow(context: CheckContext): void {
  context.outerUses.push(...context.uses);
  context.given = new Map();
  context.uses = [];
}

/** Finishes checking a flow, and reports its invalid uses of variables. */
export function endFlow(context: CheckContext): void {
  reportUses(context, context.uses, context.given);
  context.uses = [];
  for (const [name, path] of context.given) context.everGiven.set(name, path);
}

/**
 * Reports each use of a variable that no step sets. A use whose `early` is true is also reported if
 * only a later step sets the variable. `given` contains all variables that the flow sets.
 */
export function reportUses(
  context: CheckContext,
  uses: readonly VariableUse[],
  given: ReadonlyMap<string, Path>,
): void {
  for (const { name, path, within, early } of uses) {
    const place = given.get(name);
    if (place && !early) continue;
    const base = { severity: "error" as const, path, ...(within !== undefined && { within }) };
    if (place) {
      const message = `\`\${${name}}\` is used before it is set, at ${formatPath(place)}`;
      context.diagnostics.push({ ...base, code: "variable-too-early", message });
    } else {
      const message =
        `no earlier step sets \`\${${name}}\`: expected an extractor, \`set\` or \`foreach\``;
      const hint = hintFor(context, name, given);
      context.diagnostics.push({
        ...base,
        code: "unknown-variable",
        message,
        ...(hint && { hint }),
      });
    }
  }
}

function hintFor(context: CheckContext, name: string, given: ReadonlyMap<string, Path>): string {
  const declared = (space: string) => Object.keys(inSection(context.plan, space));
  if (declared("variables").includes(name)) return `did you mean \`\${vars.${name}}\`?`;
  if (declared("secrets").includes(name)) return `did you mean \`\${secrets.${name}}\`?`;
  return didYouMean(name, [...given.keys(), ...RESERVED]);
}

/**
 * Returns a section of the plan, such as `variables`, or an empty map if the section is missing or
 * not a map.
 */
export function inSection(plan: unknown, key: string): Record<string, unknown> {
  const value = isMap(plan) && Object.hasOwn(plan, key) ? plan[key] : undefined;
  return isMap(value) ? value : {};
}
