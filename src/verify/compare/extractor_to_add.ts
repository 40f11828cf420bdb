import { RESERVED } from "../../plan/expressions/expression.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { extractorFor } from "../../correlation/propose.ts";
import { isWhole, keyAt, type Occurrence, type View, viewsOf } from "../../correlation/views.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { HeldIdFinder } from "../names/held_ids.ts";

/** Maximum number of occurrences in one text for which an extractor is sought. */
const MOST_OCCURRENCES = 5;

/**
 * Returns an extractor that reads `value` from the response of an exchange. `sentAs` is the name of
 * the value in the request. Returns undefined if no extractor returns the value.
 */
export function extractorToAdd(
  value: string,
  { response }: Exchange,
  sentAs: string,
): Extractor | undefined {
  return firstExtractor(occurrencesOf(value, viewsOf(response)), sentAs);
}

/**
 * Returns an extractor that reads a short id from the response of an exchange. `name` is the name
 * of the id in the response, or an empty string for a path segment. Returns undefined if no
 * extractor returns it.
 */
export function idExtractorToAdd(
  value: string,
  exchange: Exchange,
  name: string,
  sentAs: string,
): Extractor | undefined {
  return firstExtractor(idOccurrences(value, exchange, name), sentAs, name);
}

function firstExtractor(
  occurrences: Iterable<Occurrence>,
  sentAs: string,
  name?: string,
): Extractor | undefined {
  for (const at of occurrences) {
    const found = extractorFor(at);
    if (found === undefined) continue;
    const { type, ...rest } = found.extractor;
    const key = name ?? keyAt(at);
    const isVague = key === "" || /^location$/i.test(key) || type === "boundary";
    return { type, name: variableName(isVague ? sentAs || "id" : key), ...rest } as Extractor;
  }
  return undefined;
}

/**
 * Returns the occurrences of a value in a response: first those that are a whole text, then encoded
 * ones, because the escaped form `ab\\\\` also contains the value `ab\\`.
 */
function occurrencesOf(value: string, views: Iterable<View>): Occurrence[] {
  const found: Occurrence[] = [];
  for (const view of views) {
    let start = view.text.indexOf(value);
    for (let i = 0; start >= 0 && i < MOST_OCCURRENCES; i++) {
      const end = start + value.length;
      found.push({ view, start, end });
      start = view.text.indexOf(value, end);
    }
  }
  const rank = (at: Occurrence) => isWhole(at) ? 0 : at.view.place.kind === "decoded" ? 1 : 2;
  return found.sort((a, b) => rank(a) - rank(b));
}

function* idOccurrences(value: string, exchange: Exchange, name: string): Generator<Occurrence> {
  const { response } = exchange;
  const finder = new HeldIdFinder(new Set([value]));
  const find = (view: View) =>
    finder.find(view.text, exchange).filter((held) => held.name === name)
      .map(({ start, end }) => ({ view, start, end }));
  for (const view of viewsOf(response)) {
    const { place, text, key } = view;
    if (place.kind === "header" && /^location$/i.test(place.name)) yield* find(view);
    if (place.kind !== "json" || text !== value || key !== name) continue;
    yield { view, start: 0, end: text.length };
  }
  const { text } = response;
  if (text !== undefined) yield* find({ response, text, key: "", place: { kind: "body" } });
}

/** Converts the name of a field to the name of a variable. */
function variableName(name: string): string {
  const bare = name.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "value";
  const variable = /^\d/.test(bare) ? `_${bare}` : bare;
  return RESERVED.has(variable) ? `${variable}_value` : variable;
}
