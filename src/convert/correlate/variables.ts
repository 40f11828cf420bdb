import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { headerValue } from "../../traffic/har/har_fields.ts";
import { call, type Expression } from "../../plan/expressions/expression.ts";
import { keptUsages } from "./decide.ts";
import type { KeptUsage, Ruling } from "./ruling.ts";
import { isEncoded } from "./effect.ts";
import { Base64Field } from "../../traffic/session/base64_text.ts";
import { base64Replacement, type Replacement, Replacements } from "./replacements.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import { returnsValue, valueOffset } from "./row_text.ts";
import { containsPart, regexAround } from "./sources/boundary_expression.ts";
import { locateSegment } from "./sources/header_source.ts";
import type { Candidate, Located } from "./sources/source_search.ts";
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
  return { variables, replacements: new Replacements(withBase64(replaced)) };
}

/**
 * Replaces the replacements in text that a field contains in base64 with one replacement of the
 * base64.
 */
function withBase64(replaced: readonly Replacement[]): readonly Replacement[] {
  if (!replaced.some(({ field }) => field instanceof Base64Field)) return replaced;
  const byField = Map.groupBy(replaced, ({ field }) => field);
  return [...byField].flatMap(([field, inField]) =>
    field instanceof Base64Field ? [base64Replacement(field, inField)] : inField
  );
}

/**
 * Returns the expression to write in a field for an occurrence of a variable's value, as
 * `expressionFor` does. If the field contains the value within base64, returns the expression for
 * the base64.
 */
export function writtenExpression(
  usage: Usage,
  variable: Pick<Variable, "candidate" | "extractor">,
): Expression {
  const { field, start, end } = usage;
  const expression = expressionFor(usage, variable);
  if (!(field instanceof Base64Field)) return expression;
  return base64Replacement(field, [{ field, start, end, expression }]).expression;
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
  if (field instanceof Base64Field) return { kind: "variable", name: extractor.name };
  const asText = candidate.numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const variable = { kind: "variable", name: extractor.name } as const;
  return isEncoded(usage) || asText ? call("url_encode", variable) : variable;
}

/**
 * Returns the candidate with an extractor that finds the value in the next session, too, if other
 * values then differ. `variables` contains the values that the plan replaces with variables, such
 * as the name of a folder. The text before a value in a link may contain one of them. Returns the
 * candidate unchanged if it does not, or if no other extractor returns the value.
 */
export function withoutVariables(
  candidate: Candidate,
  variables: ReadonlySet<string>,
): Candidate {
  const { producer, value, located } = candidate;
  const found = locatedAgain(candidate, variables);
  if (found === undefined) return candidate;
  const { transform } = located as { readonly transform?: Located["transform"] };
  const other = { ...found, ...(transform && { transform }) } as Located;
  return returnsValue(producer, other, value) ? { ...candidate, located: other } : candidate;
}

function locatedAgain(
  { producer, value, located, by, collection = "" }: Candidate,
  variables: ReadonlySet<string>,
): Located | undefined {
  const { response } = producer.exchange;
  if (located.type === "header") {
    if (by !== "link" || !variables.has(collection)) return undefined;
    return locateSegment(headerValue(response.headers, "location") ?? "", collection, value);
  }
  if (located.type !== "boundary" && located.type !== "regex") return undefined;
  const before = located.type === "boundary"
    ? located.left
    : located.expression.replaceAll("\\", "");
  if (!containsPart(before, variables)) return undefined;
  // The getter decodes the body.
  const { text } = response;
  const at = text === undefined ? undefined : valueOffset(text, located, value);
  return at === undefined ? undefined : regexAround(text!, at, value.length, variables);
}
