import type { Extractor } from "../../plan/kinds/extractors.ts";
import { headerValue } from "../../traffic/har/har_fields.ts";
import { call, type Expression, RESERVED } from "../../plan/expressions/expression.ts";
import { nameHint, nameWords } from "../../traffic/session/dynamic_value.ts";
import { keptUsages } from "./decide.ts";
import type { KeptUsage, Ruling } from "./ruling.ts";
import { isFormText } from "../../traffic/session/recorded_call.ts";
import { isEncoded } from "./effect.ts";
import { Base64Field } from "../../traffic/session/base64_text.ts";
import { callWords, consumerWords } from "./place_words.ts";
import { base64Replacement, type Replacement, Replacements } from "./replacements.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import { memberNames, resourceWords } from "./resource_names.ts";
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
  const { call: sender, field, start, end } = usage;
  if (field instanceof Base64Field) return { kind: "variable", name: extractor.name };
  const asText = candidate.numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const variable = { kind: "variable", name: extractor.name } as const;
  const isText = asText || isFormText(sender, field);
  return isText || isEncoded(usage) ? call("url_encode", variable) : variable;
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
  const { text } = response;
  const at = text === undefined ? undefined : valueOffset(text, located, value);
  return at === undefined ? undefined : regexAround(text!, at, value.length, variables);
}

/** Generates the names of variables. */
export class VariableNames {
  readonly #names = new UniqueNames(RESERVED);

  /**
   * Returns the name of the variable for each ruling (the decision on one value). The rulings must
   * be sorted by the order of the calls whose responses contain their values. A name is based on
   * the name of the field in the response. If several fields are called `id`, or a link contains
   * the value, it is based on the resource (`article_id`). A rotating value, such as a token that
   * each response replaces, keeps one variable: its name is reused if no later request uses the
   * previous value.
   */
  nameAll(rulings: readonly Ruling[]): string[] {
    const ids = rulings.filter(({ candidate }) => isBareId(candidate.key)).length;
    const current = new Map<string, { name: string; lastUse: number }[]>();
    return rulings.map((ruling) => {
      const { key, producer, collection } = ruling.candidate;
      const byResource = isBareId(key) && (ids > 1 || collection !== undefined);
      const base = byResource ? resourceName(ruling) : key;
      if (!isRotating(base)) return this.#next(base);
      const lastUse = findLastUse(ruling);
      const known = current.get(base.toLowerCase()) ?? [];
      current.set(base.toLowerCase(), known);
      const free = known.find((one) => one.lastUse <= producer.order);
      if (free === undefined) known.push({ name: this.#next(base), lastUse });
      else free.lastUse = lastUse;
      return (free ?? known.at(-1)!).name;
    });
  }

  /**
   * Returns a unique variable name based on `key`, or on the word `value` if `key` is empty.
   * Converts the name to lower case, and replaces all characters except ASCII letters, digits and
   * `_` with `_`. Prepends `_` to a leading digit. Appends a number if the name is already used or
   * reserved.
   */
  #next(key: string): string {
    const bare = key.toLowerCase().replace(/[^a-z0-9_]/g, "_") || "value";
    return this.#names.next(/^\d/.test(bare) ? "_" + bare : bare);
  }
}

/** Makes names unique by appending numbers, in constant time per name. */
export class UniqueNames {
  readonly #taken: Set<string>;
  /** Maps each base name to the last number that was appended to it. */
  readonly #numbers = new Map<string, number>();

  /** The names in `taken` are not available. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Returns `base` or, if this name is taken, `base` with `_` and the next number. */
  next(base: string): string {
    let name = base;
    let number = this.#numbers.get(base) ?? 1;
    while (this.#taken.has(name)) name = `${base}_${++number}`;
    this.#numbers.set(base, number);
    this.#taken.add(name);
    return name;
  }
}

/** Returns the position of the last call that sends the value of a ruling, or 0 if none does. */
function findLastUse({ replaced, others }: Ruling): number {
  let last = 0;
  for (const { call } of replaced) last = Math.max(last, call.order);
  for (const { usage } of others) last = Math.max(last, usage.call.order);
  return last;
}

const bareIds = new Map<string, boolean>();

/**
 * Reports whether a field's name, such as `id`, is a single word for an id and does not name a
 * resource. Caches the results, because names of fields often repeat in a recording.
 */
function isBareId(key: string): boolean {
  let isBare = bareIds.get(key);
  if (isBare === undefined) {
    isBare = nameHint(key).idLike && nameWords(key).length === 1 && resourceWords(key).length === 0;
    if (bareIds.size < 100_000) bareIds.set(key, isBare);
  }
  return isBare;
}

/**
 * Reports whether a name suggests a value that the server replaces from time to time, such as a
 * token, and not the id of a resource.
 */
function isRotating(name: string): boolean {
  return nameHint(name).token || !nameHint(name).idLike;
}

/**
 * Returns a name for the id of a resource, such as `article_id`. The resource's name comes from
 * the link that contains the id, the path of a request that sends it, the object that contains it,
 * or the call that returned it.
 */
function resourceName({ candidate, sent }: Ruling): string {
  const { key, collection = "", located, producer } = candidate;
  const inPath = sent.find(({ field }) => field.kind === "path");
  const word = resourceWords(collection).at(-1) ??
    (inPath && consumerWords(inPath).at(-1)) ??
    memberNames(located).slice(0, -1).flatMap(resourceWords).at(-1) ??
    callWords(producer).at(-1);
  return word === undefined ? key : `${word}_${key}`;
}
