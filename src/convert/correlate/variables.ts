import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { call, type Expression } from "../../plan/expressions/expression.ts";
import { keptUsages } from "./decide.ts";
import type { KeptUsage, Outcome, Ruling } from "./ruling.ts";
import { isEncoded } from "./effect.ts";
import { type Replacement, Replacements } from "./replacements.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import { type FieldUsages, type Usage, withoutCovered } from "./usages.ts";

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
export function createVariable({ candidate, sent, left }: Ruling, name: string): Variable {
  const { located } = candidate;
  // `type` and `name` are the first keys, so that they come first when the extractor is printed.
  const extractor = Object.assign({ type: located.type, name }, located) as Extractor;
  return { extractor, candidate, sent, left };
}

/**
 * Creates the variables for correlated values, and replaces the values' occurrences in requests.
 * Does not replace an occurrence that is part of a longer correlated value. `names` contains the
 * names of the variables. `usages` must contain all occurrences of the candidates' values.
 */
export function replaceUsages(
  rulings: readonly Ruling[],
  names: readonly string[],
  usages: readonly FieldUsages[],
): { variables: Variable[]; replacements: Replacements } {
  const correlated = new Set(rulings.map(({ candidate }) => candidate.value));
  const isCorrelated = (value: string) => correlated.has(value);
  // Each usage with its position in the requests.
  const uncovered = new Map<Usage, number>();
  for (const inField of usages) {
    for (const usage of withoutCovered(inField, isCorrelated)) uncovered.set(usage, uncovered.size);
  }
  const replaced: Replacement[] = [];
  const variables = rulings.map((ruling, i) => {
    const all = findOutcomes(ruling, uncovered);
    const sent: Usage[] = [];
    for (const { effect, usage } of all) if (effect === "replaced") sent.push(usage);
    const variable = createVariable({ ...ruling, sent, left: keptUsages(all) }, names[i]);
    for (const usage of sent) {
      const [start, end] = usage.field.recordedRange(usage.start, usage.end);
      replaced.push({ field: usage.field, start, end, expression: expressionFor(usage, variable) });
    }
    return variable;
  });
  return { variables, replacements: new Replacements(replaced) };
}

/**
 * Selects the outcomes of a ruling that apply to one of `usages`, and sorts them by their positions
 * in the requests. `usages` maps each usage (an occurrence of a value in a request) to its
 * position.
 */
function findOutcomes(
  { outcomes }: Ruling,
  usages: ReadonlyMap<Usage, number>,
): readonly Outcome[] {
  return outcomes.filter(({ usage }) => usages.has(usage))
    .sort((a, b) => usages.get(a.usage)! - usages.get(b.usage)!);
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
