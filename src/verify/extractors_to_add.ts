import { extractorFor } from "../correlation/propose.ts";
import { isWhole, keyAt, type Occurrence, type View, viewsOf } from "../correlation/views.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { HeldIdFinder } from "./held_ids.ts";
import { responseTexts, writtenForms } from "./recorded_exchanges.ts";

/**
 * Maximum length, in UTF-16 code units, of a request field that is searched for the complete value.
 */
const LONGEST = 8_192;

const SCHEME = /^[A-Za-z][\w-]* +(?=\S+$)/;
/** Matches text that is a single token, such as base64, and not a path or a URL. */
const TOKEN = /^[\w+=.~|%-][\w+/=.~|%-]*$/;
const PART = /[^\s/?&=;,"'<>]+/g;

/**
 * Extends `part` to the complete value that contains it. `text` is the text of one field of a
 * request. Tries `text`, `text` without a scheme such as `Bearer`, and the pieces of `text` between
 * delimiters. Returns the first one that contains `part` and that the response of `holder` contains
 * in any encoding. If no piece meets both conditions, returns `part`. If `holder` is undefined,
 * returns `text` if it is a single token, and otherwise `part`.
 */
export function wholeValue(text: string, part: string, holder: Exchange | undefined): string {
  if (text === part || text.length > LONGEST) return part;
  if (holder === undefined) return TOKEN.test(text) ? text : part;
  const candidates = [text, text.replace(SCHEME, "")];
  for (const [piece] of text.matchAll(PART)) if (piece.includes(part)) candidates.push(piece);
  const texts = responseTexts(holder);
  const isHeld = (candidate: string) =>
    texts.some((held) => [...writtenForms(candidate)].some((form) => held.includes(form)));
  return candidates.find((candidate) => candidate.includes(part) && isHeld(candidate)) ?? part;
}

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
export function occurrencesOf(value: string, views: Iterable<View>): Occurrence[] {
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
