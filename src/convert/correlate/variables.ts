import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { call, type Expression } from "../../plan/expressions/expression.ts";
import { keptUsages } from "./decide.ts";
import type { KeptUsage, Ruling } from "./ruling.ts";
import { isEncoded } from "./effect.ts";
import { type Replacement, Replacements } from "./replacements.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import { coveredUsages, filtered, type Usage } from "./usages.ts";

/** A value that an extractor reads from a response into a variable. */
export interface Variable {
  readonly extractor: Extractor;
  readonly candidate: Candidate;
  /**
   * Occurrences in requests that the plan replaces with the variable. For a value that the plan
   * does not extract, occurrences that it could replace.
   */
  readonly sent: readonly Usage[];
  /** Occurrences that the plan sends as recorded because of an `Obstacle`. */
  readonly left: readonly KeptUsage[];
}

/** A value that the plan could extract from a response if its source were enabled. */
export interface Offer extends Variable {
  readonly source: OptionalSource;
}

/**
 * Creates a variable called `name` for the value that a ruling (the decision about one value)
 * applies to.
 */
export function createVariable(
  { candidate, sent, left }: Pick<Ruling, "candidate" | "sent" | "left">,
  name: string,
): Variable {
  const { located } = candidate;
  // `type` and `name` are the first keys, so that they come first when the extractor is printed.
  const extractor = { type: located.type, name, ...(located as object) } as Extractor;
  return { extractor, candidate, sent, left };
}

/**
 * Creates the variables for correlated values, and replaces the values' occurrences in requests.
 * Does not replace an occurrence that is part of a longer correlated value. `names` contains the
 * names of the variables. `usages` must be the result of `findUsages` for all candidates.
 */
export function replaceUsages(
  rulings: readonly Ruling[],
  names: readonly string[],
  usages: readonly Usage[],
): { variables: Variable[]; replacements: Replacements } {
  const correlated = new Set(rulings.map(({ candidate }) => candidate.value));
  const covered = coveredUsages(usages, (value) => correlated.has(value));
  const replaced: Replacement[] = [];
  const variables = rulings.map((ruling, i) => {
    const { candidate } = ruling;
    const sent = filtered(ruling.replaced, (usage) => !covered.has(usage));
    const left = keptUsages(filtered(ruling.others, ({ usage }) => !covered.has(usage)));
    const variable = createVariable({ candidate, sent, left }, names[i]);
    for (const usage of sent) {
      const [start, end] = usage.field.recordedRange(usage.start, usage.end);
      replaced.push({ field: usage.field, start, end, expression: expressionFor(usage, variable) });
    }
    return variable;
  });
  return { variables, replacements: new Replacements(replaced) };
}

/**
 * Returns the expression that replaces an occurrence of a variable's value in a request. Wraps the
 * variable in `url_encode` if the request percent-encodes the value, or if the value is a number
 * but the JSON body of the request contains it as a string.
 */
export function expressionFor(
  usage: Usage,
  { candidate, extractor }: Pick<Variable, "candidate" | "extractor">,
): Expression {
  const { field, start, end } = usage;
  const asText = candidate.numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const variable = { kind: "variable", name: extractor.name } as const;
  return isEncoded(usage) || asText ? call("url_encode", variable) : variable;
}
