import { asText } from "../base/exact_json.ts";
import { isMap } from "../base/exact_number.ts";
import type { Find, FindLocated, LocatedValue } from "./extractor_runtime.ts";
import { type ResponseView, searched } from "./response_view.ts";
import { rowsIn, showsText, type TextRange } from "./rows.ts";

/** The matches of an extractor in one row of a list. */
interface RowMatches {
  readonly values: readonly unknown[];
}

/**
 * Returns the matches of `find` in the row that contains `text`. In a JSON body, a row is an array
 * element that has a member with this text. In markup, a row is a row of a table or an item of a
 * list that has an element or an attribute with this text. `locate` finds the matches in a JSON
 * body. Throws an Error if several rows contain the text and have different values, unless
 * `isAnyRow` is true.
 */
export function findInRow(
  response: ResponseView,
  text: string,
  { find, locate, isAnyRow }: {
    readonly find: Find;
    readonly locate: FindLocated | undefined;
    readonly isAnyRow: boolean;
  },
): unknown[] {
  const rows = locate !== undefined && response.json !== undefined
    ? elementsWith(text, response.json, locate(response))
    : markupWith(text, response, find);
  if (!isAnyRow && new Set(rows.map(({ values }) => asText(values[0]))).size > 1) {
    throw new Error(
      `${rows.length} rows show "${text}": the extractor cannot know which one this user added; ` +
        "make the text unique, for example with `${unique}`",
    );
  }
  return rows.flatMap(({ values }) => [...values]);
}

function markupWith(text: string, response: ResponseView, find: Find): RowMatches[] {
  const body = searched(response);
  const found: (RowMatches & { readonly range: TextRange })[] = [];
  for (const range of rowsIn(body)) {
    const row = body.slice(range.start, range.end);
    if (!showsText(row, text)) continue;
    // A row that contains a row with a match is a list around it.
    if (found.some((inner) => contains(range, inner.range))) continue;
    const values = [...find(viewOfRow(response, row))];
    if (values.length > 0) found.push({ values, range });
  }
  return found.sort((a, b) => a.range.start - b.range.start);
}

function contains(outer: TextRange, inner: TextRange): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function viewOfRow(response: ResponseView, text: string): ResponseView {
  let parsed: unknown;
  return {
    headers: response.headers,
    text,
    json: undefined,
    jsonSource: undefined,
    html: <Document>(parse: (text: string) => Document) => (parsed ??= parse(text)) as Document,
    storedCookie: (name) => response.storedCookie(name),
  };
}

function elementsWith(text: string, json: unknown, found: Iterable<LocatedValue>): RowMatches[] {
  const rows = new Map<unknown, unknown[]>();
  for (const { value, location } of found) {
    const element = elementsOn(json, location).find((one) => hasMember(one, text, DEEPEST));
    if (element === undefined) continue;
    const known = rows.get(element);
    if (known === undefined) rows.set(element, [value]);
    else known.push(value);
  }
  return [...rows.values()].map((values) => ({ values }));
}

/** Returns the array elements on the path `location`, innermost first. */
function elementsOn(json: unknown, location: readonly (string | number)[]): unknown[] {
  const elements: unknown[] = [];
  let at = json;
  for (const step of location) {
    at = (at as Record<string | number, unknown>)[step];
    if (typeof step === "number") elements.unshift(at);
  }
  return elements;
}

/**
 * Number of nesting levels below an array element that are searched for the text, because it may be
 * in a nested object such as `node` or `attributes`.
 */
const DEEPEST = 2;

/**
 * Reports whether a member of an object equals `text`. Also searches nested objects, up to `depth`
 * levels deep.
 */
function hasMember(value: unknown, text: string, depth: number): boolean {
  if (!isMap(value)) return false;
  return Object.values(value).some((member) =>
    member === text || (depth > 0 && hasMember(member, text, depth - 1))
  );
}
