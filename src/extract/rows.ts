import { asText, isMap } from "../base/exact_number.ts";
import { undoEscapes } from "../base/string_escapes.ts";
import { decodeHtml } from "./parse_html.ts";
import {
  type Find,
  type FindLocated,
  type LocatedValue,
  type ResponseView,
  searched,
} from "./response_view.ts";

/** UTF-16 code units. `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Source of a pattern for comments, scripts and styles, whose text a page does not show. */
const HIDDEN = /<!--(?:-?>|[^]*?(?:--!?>|$))|<(script|style)(?=[\s/>])[^]*?(?:<\/\1(?=[\s/>])|$)/
  .source;
/** Tags of links, forms, rows and containers; comments, scripts and styles match without groups. */
const TAG = new RegExp(
  `${HIDDEN}|<(\\/?)(a|tr|li|option|article|item|entry|form|table|ul|ol|select|div)(?=[\\s/>])`,
  "gi",
);
/** A `div` that is a row: by its `role`, a class such as `topic-row`, or `data-note-id`. */
const DIV_ROW =
  /<div(?:[^>"']|"[^"]*"|'[^']*')*?\s(?:role\s*=\s*["']?(?:row|listitem|option|article)(?=[\s"'/>])|class\s*=\s*["']?[^"'>]*\w[-_](?:row|item)(?=[\s"'>])|data-(?:[\w-]*-)?id\s*=\s*["']?[^\s"'>])/iy;
const CONTAINERS: ReadonlySet<string> = new Set(["table", "ul", "ol", "select"]);
const LINK = /^<a\s/i;
const LONGEST_ROW = 65_536; // In UTF-16 code units.
/** Matches the start of an object of JSON text, also in a string or an attribute. */
const OBJECT = /\{\s*(?:\\?"|&quot;|&#0*34;)/y;

/**
 * Returns the rows of a text, nested ones before those around them: of tables and lists in markup,
 * `div`s outside of these (`DIV_ROW`), forms of a kind that a page has several times, links (a row
 * may show several objects as links), radio buttons and check boxes with their labels, and the
 * objects of JSON in scripts. The only radio button or check box of a row does not count, and an
 * element with the only `h1` of a page is its content. A row without an end tag ends at the next
 * row or with its list. Ranges do not include the end tag.
 */
export function rowsIn(text: string): readonly TextRange[] {
  return readRows(text).rows;
}

function readRows(text: string): Pick<MarkupRows, "rows" | "contents"> {
  const isMarkup = !/^\s*[[{"]/.test(text);
  const rows = isMarkup ? objectsIn(text) : [];
  const labelled = isMarkup ? choicesIn(text).toReversed() : [];
  const choices: TextRange[] = [];
  const contents: TextRange[] = [];
  const open: { readonly name: string; readonly start: number }[] = [];
  let lastRow = -1;
  let repeated: ReadonlySet<string> | undefined;
  const isRepeated = (start: number) =>
    (repeated ??= repeatedForms(text)).has(kindOfRow(text, start));
  const titles = Array.from(text.matchAll(/<h1[\s>]/gi), ({ index }) => index);
  const isContent = (start: number, end: number) =>
    titles.length === 1 && start < titles[0] && titles[0] < end;
  const close = (length: number, end: number) => {
    while (open.length > length) {
      const { name, start } = open.pop()!;
      if (CONTAINERS.has(name) || end - start > LONGEST_ROW) continue;
      if (name === "div" && (!isDivRow(text, start) || open.some(isCell))) continue;
      if (name === "form" && (lastRow > start || open.some(isCell) || !isRepeated(start))) continue;
      if (isContent(start, end)) {
        contents.push({ start, end });
        continue;
      }
      if (!/^(?:form|a|option)$/.test(name)) lastRow = start;
      rows.push({ start, end });
      // The label of the only choice in a row is a text of the row.
      const first = choices.findLastIndex((choice) => choice.start < start) + 1;
      if (first === choices.length - 1) choices.pop();
    }
  };
  for (const { 2: slash, 3: tag, index } of text.matchAll(TAG)) {
    if (tag === undefined) continue;
    while (labelled.length > 0 && labelled.at(-1)!.end <= index) choices.push(labelled.pop()!);
    const name = tag.toLowerCase();
    const isContainer = CONTAINERS.has(name);
    const list = open.findLastIndex((element) => CONTAINERS.has(element.name));
    const same = open.findLastIndex((element) => element.name === name);
    // A tag ends a row only if the tag and the row are in the same list.
    if (slash !== "" || (!isContainer && name !== "div")) {
      if (same >= 0 && (isContainer || same > list)) close(same, index);
    }
    if (slash === "") open.push({ name, start: index });
  }
  choices.push(...labelled.toReversed());
  close(0, text.length);
  return { rows: [...rows, ...choices].sort((a, b) => a.end - b.end), contents };
}

/** Matches ids in a start tag. */
const GENERATED = /[0-9a-f]{8,}|\d+/gi;

/** Returns the start tag at an offset, without ids: rows of a kind have equal ones. */
export function kindOfRow(text: string, start: number): string {
  const end = text.indexOf(">", start);
  return text.slice(start, end < 0 ? text.length : end).toLowerCase().replace(GENERATED, "0");
}

function repeatedForms(text: string): ReadonlySet<string> {
  const kinds = Array.from(text.matchAll(/<form\b/gi), ({ index }) => kindOfRow(text, index));
  const seen = new Set<string>();
  return new Set(kinds.filter((kind) => seen.size === seen.add(kind).size));
}

function objectsIn(text: string): TextRange[] {
  const found: TextRange[] = [];
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === "{") open.push(index);
    else if (open.length > 0) {
      const start = OBJECT.lastIndex = open.pop()!;
      if (index - start <= LONGEST_ROW && OBJECT.test(text)) found.push({ start, end: index });
    }
  }
  return found;
}

/** Matches a tag of a label or an input. */
const CHOICE_TAG = /<(\/?)(?:label|input)\b[^<>]*>/gi;
const CHOICE = /^<input\b[^<>]*\btype\s*=\s*["']?(?:radio|checkbox)\b/i;
const [ID, FOR] = ["id", "for"].map((name) =>
  new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i")
);

/** Returns the radio buttons and check boxes within a label, or directly before their label. */
function choicesIn(text: string): TextRange[] {
  const found: TextRange[] = [];
  let choice: { readonly tag: string; readonly start: number } | undefined;
  let label: number | undefined;
  const valueIn = (tag: string, name: RegExp) => name.exec(tag)?.slice(1).find(Boolean);
  for (const { 0: tag, 1: slash, index } of text.matchAll(CHOICE_TAG)) {
    if (/^<input/i.test(tag)) {
      choice = CHOICE.test(tag) ? { tag, start: label ?? index } : undefined;
    } else if (slash === "") {
      label = index;
      const id = choice && valueIn(choice.tag, ID);
      if (id === undefined || id !== valueIn(tag, FOR)) choice = undefined;
    } else {
      if (choice !== undefined && label !== undefined && index - choice.start <= LONGEST_ROW) {
        found.push({ start: choice.start, end: index });
      }
      choice = label = undefined;
    }
  }
  return found;
}

function isDivRow(text: string, start: number): boolean {
  DIV_ROW.lastIndex = start;
  return DIV_ROW.test(text);
}

function isCell({ name }: { readonly name: string }): boolean {
  return name === "tr" || name === "li";
}

const HIDDEN_TEXTS = new RegExp(HIDDEN, "gi");
/** Matches the text of an element, or the value of an attribute. */
const SHOWN = />([^<>]+)(?=<|$)|=\s*"([^"]*)"|=\s*'([^']*)'/g;

/** Ignores spaces around the text of an element or attribute, and scripts, styles and comments. */
export function showsText(row: string, wanted: string): boolean {
  const sought = shownText(wanted);
  const start = /^[A-Za-z0-9]*/.exec(sought)![0];
  if (sought === "" || (!row.includes(start) && !/&#/.test(row))) return false;
  return shownTexts(row).has(sought);
}

const HIDDEN_INPUT = /<input\b[^<>]*\btype\s*=\s*["']?hidden\b[^<>]*>/gi;

/**
 * Normalized with `shownText`. Ignores scripts, styles, comments and hidden fields. The texts of
 * elements come before the values of attributes, which a user may not see.
 */
export function shownTexts(row: string): Set<string> {
  if (row.startsWith("{")) return textsOfObject(row);
  const [texts, values] = [new Set<string>(), new Set<string>()];
  const shown = row.replace(HIDDEN_TEXTS, "<>");
  const visible = /^<form/i.test(row) ? shown.replace(HIDDEN_INPUT, "<>") : shown;
  for (const [, element, double, single] of visible.matchAll(SHOWN)) {
    const shown = element ?? double ?? single;
    const added = element === undefined ? values : texts;
    added.add(shownText(shown.includes("&") ? decodeHtml(shown) : shown));
  }
  return texts.union(values);
}

/** Matches a bracket of a list, or a string that is not the name of a member. */
const JSON_PARTS = /"((?:[^"\\]|\\.)*)"(?!\s*:)|"(?:[^"\\]|\\.)*"|[[\]]/g;

/** Returns the strings of an object of JSON text, without those in its lists. */
function textsOfObject(row: string): Set<string> {
  const json = /^\{\s*&/.test(row) ? decodeHtml(row) : row;
  const plain = /^\{\s*\\/.test(json) ? undoEscapes(json).value : json;
  const texts = new Set<string>();
  let depth = 0;
  for (const [part, text] of plain.matchAll(JSON_PARTS)) {
    if (part === "[") depth++;
    else if (part === "]") depth--;
    else if (depth === 0 && text !== undefined) {
      texts.add(shownText(text.includes("\\") ? undoEscapes(text).value : text));
    }
  }
  return texts;
}

/** Normalizes white space as on a page. */
export function shownText(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

interface RowMatches {
  readonly values: readonly unknown[];
}

/**
 * Returns the matches of `find` in the row that shows `text`: in JSON, an array element with this
 * value; in markup, a row of `rowsIn`. Links outside of rows count only if no row matches. Without
 * a match in this row, searches the row around it, except its other rows, but with their links.
 * Throws an Error if several rows show the text and their first matches differ, unless `isAnyRow`.
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

export interface MarkupRows {
  readonly markup: string;
  readonly rows: readonly TextRange[];
  /** Elements that would be rows without the only `h1` of the page. */
  readonly contents: readonly TextRange[];
}

interface KnownRows extends MarkupRows {
  readonly text: string;
  /** The rows that show a text, keyed by the text. */
  readonly showing: Map<string, readonly TextRange[]>;
}

/** Rows of the last text of each response, because `calibrate` tries many extractors on it. */
const lastRows = new WeakMap<ResponseView, KnownRows>();

/** Returns the markup of a response, its rows, and those that show the text `wanted`. */
export function rowsShowing(
  response: ResponseView,
  wanted: string,
): MarkupRows & { readonly showing: readonly TextRange[] } {
  const text = searched(response);
  const last = lastRows.get(response);
  const found = last?.text === text ? last : findRows(text, response);
  if (found !== last) lastRows.set(response, found);
  const { markup, rows, contents, showing } = found;
  const shows = ({ start, end }: TextRange) => showsText(markup.slice(start, end), wanted);
  const shown = showing.getOrInsertComputed(wanted, () => rows.filter(shows));
  return { markup, rows, contents, showing: shown };
}

function findRows(text: string, response: ResponseView): KnownRows {
  // Markup in a string of a JSON body is escaped.
  const markup = response.json === undefined ? text : undoEscapes(text).value;
  return { text, markup, ...readRows(markup), showing: new Map() };
}

function markupWith(wanted: string, response: ResponseView, find: Find): RowMatches[] {
  const { markup: body, rows, contents, showing } = rowsShowing(response, wanted);
  const found: (RowMatches & { readonly range: TextRange })[] = [];
  const isLink = ({ start }: TextRange) => LINK.test(body.slice(start, start + 3));
  /** Rows that show the text but contain no match of `find`. */
  const empty = new Set<TextRange>();
  for (const range of showing) {
    const row = body.slice(range.start, range.end);
    // A row that contains another row with a match is the container of a list, not an item.
    if (found.some((inner) => contains(range, inner.range))) continue;
    const nested = rows.filter((row) => row !== range && contains(range, row) && !isLink(row));
    let values = [...find(viewOfRow(response, row))];
    if (values.length > 0 && nested.some((row) => empty.has(row))) {
      // The text belongs to a nested row, so the values of the other nested rows do not.
      const own = withoutRows(body, range, nested.filter((row) => !empty.has(row)));
      const all = new Set(values.map(asText));
      values = [...find(viewOfRow(response, own))].filter((value) => all.has(asText(value)));
    }
    if (values.length > 0) found.push({ values, range });
    else empty.add(range);
  }
  // A link elsewhere in the page, as in its navigation, says less than a row.
  const inRows = found.filter(({ range }) =>
    !isLink(range) || rows.some((row) => contains(row, range) && !isLink(row))
  );
  if (found.length > 0) {
    return (inRows.length > 0 ? inRows : found).sort((a, b) => a.range.start - b.range.start);
  }
  // A list of one row may have the only `h1` of the page.
  return contents.map(({ start, end }) => body.slice(start, end))
    .filter((content) => showsText(content, wanted))
    .map((content) => ({ values: [...find(viewOfRow(response, content))] }))
    .filter(({ values }) => values.length > 0).slice(0, 1);
}

/** Keeps the start tags of `nested` rows, which must be sorted by end offset. */
function withoutRows(body: string, row: TextRange, nested: readonly TextRange[]): string {
  let at = row.end;
  let text = "";
  for (const { start, end } of nested.toReversed()) {
    if (start >= at) continue;
    const tag = /^<\w+/.exec(body.slice(start, start + 10))?.[0];
    text = (tag === undefined ? "" : `${tag}>`) + body.slice(end, at) + text;
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
    exactJson: undefined,
    html: <Document>(parse: (text: string) => Document) => (parsed ??= parse(text)) as Document,
    storedCookie: (name) => response.storedCookie(name),
  };
}

function elementsWith(text: string, json: unknown, found: Iterable<LocatedValue>): RowMatches[] {
  const rows = new Map<unknown, unknown[]>();
  const showing = new Map<readonly unknown[], boolean>();
  const shows = (array: readonly unknown[]) =>
    showing.getOrInsertComputed(array, () => array.some((element) => isRowWith(text, element)));
  for (const { value, location } of found) {
    // If the text occurs only in other elements of an array, the value does not belong to it.
    const innermost = elementsOn(json, location).find(({ array }) => shows(array));
    if (innermost === undefined || !isRowWith(text, innermost.element)) continue;
    rows.getOrInsert(innermost.element, []).push(value);
  }
  return [...rows.values()].map((values) => ({ values }));
}

interface ArrayElement {
  readonly array: readonly unknown[];
  readonly element: unknown;
}

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

/** Levels of objects to search in an array element, such as `node` or `attributes`. */
const DEEPEST_ROW = 2;

function isRowWith(text: string, element: unknown): boolean {
  return Array.isArray(element) ? element.includes(text) : hasMember(element, text, DEEPEST_ROW);
}

function hasMember(value: unknown, text: string, depth: number): boolean {
  if (!isMap(value)) return false;
  return Object.values(value).some((member) =>
    member === text || Array.isArray(member) && member.includes(text) ||
    depth > 0 && hasMember(member, text, depth - 1)
  );
}
