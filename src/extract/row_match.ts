import { asText } from "../base/exact_json.ts";
import { isMap } from "../base/exact_number.ts";
import {
  type Find,
  type FindLocated,
  type LocatedValue,
  type ResponseView,
  searched,
} from "./response_view.ts";
import { rowsIn, showsText, type TextRange } from "./rows.ts";

/** The matches of an extractor in one row of a list. */
interface RowMatches {
  readonly values: readonly unknown[];
}

/**
 * Returns the matches of `find` in the row that contains `text`. In a JSON body, a row is an array
 * element with a member whose value is this text. In markup, a row is a table row or a list item
 * that has an element or an attribute with this text. If this row does not contain a match,
 * searches the row that encloses it, except the other rows nested in the enclosing row. `locate`
 * finds the matches in a JSON body. Throws an Error if several rows contain the text and their
 * first matches differ, unless `isAnyRow` is true.
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
      `"${text}" appears in ${rows.length} rows: the extractor cannot know which one this user added; ` +
        "make the text unique, for example with `${unique}`",
    );
  }
  return rows.flatMap(({ values }) => [...values]);
}

function markupWith(text: string, response: ResponseView, find: Find): RowMatches[] {
  const body = searched(response);
  const rows = rowsIn(body);
  const found: (RowMatches & { readonly range: TextRange })[] = [];
  /** Rows that show the text but contain no match of `find`. */
  const empty = new Set<TextRange>();
  for (const range of rows) {
    const row = body.slice(range.start, range.end);
    if (!showsText(row, text)) continue;
    // A row that contains another row with a match is the container of a list, not an item.
    if (found.some((inner) => contains(range, inner.range))) continue;
    const nested = rows.filter((one) => one !== range && contains(range, one));
    let values = [...find(viewOfRow(response, row))];
    if (values.length > 0 && nested.some((one) => empty.has(one))) {
      // The text belongs to a nested row, so the values of the other nested rows do not belong to it.
      const own = withoutRows(body, range, nested.filter((one) => !empty.has(one)));
      const all = new Set(values.map(asText));
      values = [...find(viewOfRow(response, own))].filter((value) => all.has(asText(value)));
    }
    if (values.length > 0) found.push({ values, range });
    else empty.add(range);
  }
  return found.sort((a, b) => a.range.start - b.range.start);
}

/**
 * Returns the text of a row without the content of its `nested` rows, but with their start tags.
 * `nested` must be sorted by end offset.
 */
function withoutRows(body: string, row: TextRange, nested: readonly TextRange[]): string {
  let at = row.end;
  let text = "";
  for (const { start, end } of nested.toReversed()) {
    if (start >= at) continue;
    text = /^<\w+/.exec(body.slice(start, start + 10))![0] + ">" + body.slice(end, at) + text;
    at = start;
  }
  return body.slice(row.start, at) + text;
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
  const showing = new Map<readonly unknown[], boolean>();
  const shows = (array: readonly unknown[]) => {
    let known = showing.get(array);
    if (known === undefined) {
      showing.set(array, known = array.some((one) => hasMember(one, text, DEEPEST)));
    }
    return known;
  };
  for (const { value, location } of found) {
    // If the text occurs only in other elements of an array, the value does not belong to it.
    const innermost = elementsOn(json, location).find(({ array }) => shows(array));
    if (innermost === undefined || !hasMember(innermost.element, text, DEEPEST)) continue;
    const known = rows.get(innermost.element);
    if (known === undefined) rows.set(innermost.element, [value]);
    else known.push(value);
  }
  return [...rows.values()].map((values) => ({ values }));
}

/** An element of a JSON array, and the array that contains it. */
interface ArrayElement {
  readonly array: readonly unknown[];
  readonly element: unknown;
}

/** Returns the array elements on the path `location`, innermost first. */
function elementsOn(json: unknown, location: readonly (string | number)[]): ArrayElement[] {
  const elements: ArrayElement[] = [];
  let at = json;
  for (const step of location) {
    const around = at;
    at = (at as Record<string | number, unknown>)[step];
    if (typeof step === "number") {
      elements.unshift({ array: around as readonly unknown[], element: at });
    }
  }
  return elements;
}

/**
 * How many levels of nested objects in an array element are searched for the text that identifies
 * a row. The text may be in a nested object, such as `node` or `attributes`.
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
