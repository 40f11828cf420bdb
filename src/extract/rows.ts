import { decodeHtml } from "./parse_html.ts";

/** A range of text, in UTF-16 code units. `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Source of a pattern for comments, scripts and styles, whose text a page does not show. */
const HIDDEN = /<!--(?:-?>|[^]*?(?:--!?>|$))|<(script|style)(?=[\s/>])[^]*?(?:<\/\1(?=[\s/>])|$)/
  .source;
/**
 * Matches tags of rows (such as `tr` and `li`), tags of row containers (such as `table` and `ul`),
 * and `div` tags. Also matches comments, scripts and styles; the capture groups for a tag are then
 * undefined.
 */
const TAG = new RegExp(
  `${HIDDEN}|<(\\/?)(tr|li|option|article|item|entry|table|ul|ol|select|div)(?=[\\s/>])`,
  "gi",
);
/**
 * Matches the start tag of a `div` that is a row. Such a tag has a `role` such as `row` or
 * `listitem`, or an attribute such as `data-id` or `data-note-id`, which identifies the object that
 * the `div` shows.
 */
const DIV_ROW =
  /<div(?:[^>"']|"[^"]*"|'[^']*')*?\s(?:role\s*=\s*["']?(?:row|listitem|option|article)(?=[\s"'/>])|data-(?:[\w-]*-)?id\s*=\s*["']?[^\s"'>])/iy;
const CONTAINERS: ReadonlySet<string> = new Set(["table", "ul", "ol", "select"]);
/** Maximum length of a row in UTF-16 code units. */
const LONGEST_ROW = 65_536;

/**
 * Returns the rows of tables and lists in markup. A `div` is a row if it has a `role` such as `row`
 * or an attribute such as `data-id`, and is not in a table row or list item. If `at` is given,
 * returns only the rows that contain `text[at]`. A row without an end tag ends at the start tag of
 * the next row or at the end tag of its list. A range does not include the row's end tag. Nested
 * rows come before the rows that contain them. Ignores tags in scripts, styles and comments, and
 * rows longer than `LONGEST_ROW`.
 */
export function rowsIn(text: string, at?: number): TextRange[] {
  const rows: TextRange[] = [];
  const open: { readonly name: string; readonly start: number }[] = [];
  const close = (length: number, end: number) => {
    while (open.length > length) {
      const { name, start } = open.pop()!;
      if (CONTAINERS.has(name) || end - start > LONGEST_ROW) continue;
      if (name === "div" && (!isDivRow(text, start) || open.some(isCell))) continue;
      if (at === undefined || (start <= at && at < end)) rows.push({ start, end });
    }
  };
  for (const { 2: slash, 3: tag, index } of text.matchAll(TAG)) {
    if (tag === undefined) continue;
    if (at !== undefined && open.length === 0 && index > at) break;
    const name = tag.toLowerCase();
    const isContainer = CONTAINERS.has(name);
    const list = open.findLastIndex((one) => CONTAINERS.has(one.name));
    const same = open.findLastIndex((one) => one.name === name);
    // A tag ends a row only if the tag and the row are in the same list.
    if (slash !== "" || (!isContainer && name !== "div")) {
      if (same >= 0 && (isContainer || same > list)) close(same, index);
    }
    if (slash === "") open.push({ name, start: index });
  }
  close(0, text.length);
  return rows;
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

/**
 * Reports whether the whole text of an element or an attribute in a row equals `wanted`. Ignores
 * spaces around the text, and scripts, styles and comments.
 */
export function showsText(row: string, wanted: string): boolean {
  const sought = shownText(wanted);
  const start = /^[A-Za-z0-9]*/.exec(sought)![0];
  if (sought === "" || (!row.includes(start) && !/&#/.test(row))) return false;
  return shownTexts(row).has(sought);
}

/**
 * Returns the text of each element and the value of each attribute in a row, normalized with
 * `shownText`. Ignores scripts, styles and comments.
 */
export function shownTexts(row: string): Set<string> {
  const texts = new Set<string>();
  const visible = row.replace(HIDDEN_TEXTS, "<>");
  for (const [, element, double, single] of visible.matchAll(SHOWN)) {
    const shown = element ?? double ?? single;
    texts.add(shownText(shown.includes("&") ? decodeHtml(shown) : shown));
  }
  return texts;
}

/**
 * Normalizes white space as on a page: removes it at both ends, and replaces it with single spaces
 * elsewhere.
 */
export function shownText(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
