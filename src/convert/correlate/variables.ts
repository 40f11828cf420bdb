import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { type Expression, RESERVED } from "../../plan/text/template.ts";
import { isEncoded, type KeptUsage, keptUsages, type Outcome, type Ruling } from "./decide.ts";
import { type Replacement, Replacements } from "./replacements.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import { type FieldUsages, type Usage, withoutCovered } from "./usages.ts";

/** A value that an extractor reads from a response into a variable. */
export interface Variable {
  readonly extractor: Extractor;
  readonly candidate: Candidate;
  /**
   * Usages that the plan replaces with the variable. If the variable is only offered or overlapping,
   * the usages that it could replace.
   */
  readonly sent: readonly Usage[];
  /** Usages that keep the recorded value because of an obstacle. */
  readonly left: readonly KeptUsage[];
}

/** A value that the plan could extract from a response if its source were enabled. */
export interface Offer extends Variable {
  readonly source: OptionalSource;
}

/** Creates the variable of a ruling. The variable has a unique name and the ruling's usages. */
export function nameVariable({ candidate, sent, left }: Ruling, names: VariableNames): Variable {
  const name = names.next(candidate.key);
  const { type, ...rest } = candidate.locate();
  return { extractor: { type, name, ...rest } as Extractor, candidate, sent, left };
}

/**
 * Creates the variables of correlated values, and the replacements of their usages. Does not replace a
 * usage that lies inside a usage of another correlated value. `usages` must contain all usages of the
 * candidates.
 */
export function replaceUsages(
  rulings: readonly Ruling[],
  names: VariableNames,
  usages: readonly FieldUsages[],
): { variables: Variable[]; replacements: Replacements } {
  const outcomes = new Map<Usage, Outcome>();
  for (const ruling of rulings) {
    for (const outcome of ruling.outcomes) outcomes.set(outcome.usage, outcome);
  }
  const correlated = new Set(rulings.map(({ candidate }) => candidate.value));
  const uncovered = Map.groupBy(
    usages.flatMap((inField) => withoutCovered(inField, (value) => correlated.has(value))),
    ({ value }) => value,
  );
  const replaced: Replacement[] = [];
  const variables = rulings.map((ruling) => {
    const all = (uncovered.get(ruling.candidate.value) ?? []).map((usage) => outcomes.get(usage)!);
    const sent = all.filter(({ effect }) => effect === "replaced").map(({ usage }) => usage);
    const variable = { ...nameVariable(ruling, names), sent, left: keptUsages(all) };
    for (const usage of sent) {
      const [start, end] = usage.field.recordedRange(usage.start, usage.end);
      replaced.push({ field: usage.field, start, end, expression: expressionFor(usage, variable) });
    }
    return variable;
  });
  return { variables, replacements: new Replacements(replaced) };
}

/**
 * Returns the expression that replaces a usage of a variable's value. Wraps the variable in
 * `url_encode` if the request percent-encodes the value, or if the value is a number but the JSON
 * body of the request contains it as a string.
 */
export function expressionFor(
  usage: Usage,
  { candidate, extractor }: Pick<Variable, "candidate" | "extractor">,
): Expression {
  const { field, start, end } = usage;
  const asText = candidate.numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const variable = { kind: "variable", name: extractor.name } as const;
  return isEncoded(usage) || asText ? { kind: "url_encode", argument: variable } : variable;
}

/** Generates unique variable names. */
export class VariableNames {
  readonly #taken = new Set<string>(RESERVED);
  /** Maps each base name to the last number appended to it. */
  readonly #numbers = new Map<string, number>();

  /**
   * Returns a unique variable name for a value, derived from its field name `key`. Uses the name
   * `value` if `key` is empty. Converts the name to lower case, and replaces all characters except
   * ASCII letters, digits and `_` with `_`. Prepends `_` to a leading digit. Appends a number if
   * the name is already used or reserved.
   */
  next(key: string): string {
    const bare = key.toLowerCase().replace(/[^a-z0-9_]/g, "_") || "value";
    const base = /^\d/.test(bare) ? "_" + bare : bare;
    let name = base;
    let number = this.#numbers.get(base) ?? 1;
    while (this.#taken.has(name)) name = `${base}_${++number}`;
    this.#numbers.set(base, number);
    this.#taken.add(name);
    return name;
  }
}
