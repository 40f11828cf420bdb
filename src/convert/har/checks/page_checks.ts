import { escapeRegex } from "../../../base/string_escapes.ts";
import type { Correlation } from "../../../correlation/correlate.ts";
import { withoutValues } from "../../../correlation/value_free_text.ts";
import {
  existsCss,
  MarkupError,
  type ParsedHtml,
  parseHtml,
  selectCss,
} from "../../../extract/parse_html.ts";
import { readOutline } from "../../../outcome/read_markup.ts";
import type { Condition } from "../../../plan/kinds/conditions.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import { ValueIndex, withShown } from "../../../traffic/session/value_index.ts";

/** Maximum number of forms to check on a page. */
const MOST_FORMS = 10;
/** Maximum number of fields to check in a form. */
const MOST_FIELDS = 15;
const PASSWORD_FIELD = 'input[type="password"]';

/**
 * Returns checks for a page: its title, its forms with their fields, and the absence of a password
 * field if the recorded page has none. Returns an empty list if the page exceeds a markup limit.
 */
export function pageChecks(text: string, mask: MaskValues): Condition[] {
  try {
    const page = parseHtml(text);
    return [
      ...titleChecks(text, mask),
      ...formChecks(page, mask),
      ...(existsCss(PASSWORD_FIELD, page) ? [] : [{
        type: "css" as const,
        name: "no password field",
        expression: PASSWORD_FIELD,
        exists: false,
      }]),
    ];
  } catch (error) {
    if (error instanceof MarkupError) return [];
    throw error;
  }
}

const TITLE = /<title\b[^>]*>([^<]*)<\/title\b/i;

function titleChecks(text: string, mask: MaskValues): Condition[] {
  const raw = TITLE.exec(text)?.[1];
  const title = readOutline(text, false)?.title;
  if (raw === undefined || !title) return [];
  // Servers may encode the same character in several ways.
  const shape = textShape(raw, mask).replace(/&[^;\s]{1,30};/g, "#").trim()
    .replace(/\s*#[\s#]*/g, "#");
  if (!/\p{L}/u.test(shape)) return [];
  const inner = shapePattern(shape, "[^<]*").replace(/\s+/g, "\\s+");
  const pattern = `<[Tt][Ii][Tt][Ll][Ee]\\b[^>]*>\\s*${inner}\\s*<\\/`;
  if (!new RegExp(pattern).test(text)) return [];
  return [{ type: "body_matches", name: `title ${textShape(title, mask)}`, pattern }];
}

function formChecks(page: ParsedHtml, mask: MaskValues): Condition[] {
  const selectors = new Set<string>();
  for (const action of selectCss("form", "action", page)) {
    if (selectors.size === MOST_FORMS) break;
    const form = formSelector(action, mask);
    if (form === undefined) continue;
    const names = new Set<string>();
    for (const name of selectCss(fieldSelector(form), "name", page)) {
      if (names.size < MOST_FIELDS && name !== "" && isConstantText(name, mask)) names.add(name);
    }
    const fields = [...names].map((name) => `:has([name=${quoted(name)}])`).join("");
    const selector = existsCss(form + fields, page) ? form + fields : form;
    if (existsCss(selector, page)) selectors.add(selector);
  }
  return [...selectors].map((expression) => ({
    type: "css",
    name: `form ${expression.slice("form".length)}`,
    expression,
  }));
}

function fieldSelector(form: string): string {
  return ["input", "select", "textarea", "button"].map((tag) => `${form} ${tag}`).join(", ");
}

function formSelector(action: string, mask: MaskValues): string | undefined {
  const [, host, path] = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?)([^?#;]*)/i.exec(action)!;
  const shape = textShape(path, mask);
  const constant = path.startsWith(shape) ? path : shape.split("#")[0].replace(/[^/]*$/, "");
  if (!/[^/.]/.test(constant) || !path.startsWith(constant)) return undefined;
  const isWhole = host === "" && constant === action;
  return `form[action${isWhole ? "" : host === "" ? "^" : "*"}=${quoted(constant)}]`;
}

function quoted(text: string): string {
  return `"${
    text.replace(/["\\]/g, "\\$&").replace(
      /[\n\r\f\0]/g,
      (char) => `\\${char.charCodeAt(0).toString(16)} `,
    )
  }"`;
}

/** Returns text with `0` in place of the values that the plan extracts or that a user typed. */
export type MaskValues = (text: string) => string;

/** Returns text with `#` in place of each value that a server could have generated. */
function textShape(text: string, mask: MaskValues): string {
  return withoutValues(mask(text));
}

/** Reports whether text contains no value that a server could have generated. */
export function isConstantText(text: string, mask: MaskValues): boolean {
  return !text.includes("#") && textShape(text, mask) === text;
}

/**
 * Returns the source of a regular expression for strings whose `textShape` is `shape`. `value` is
 * the expression source to use in place of each `#`.
 */
export function shapePattern(shape: string, value: string): string {
  return shape.split("#").map(escapeRegex).join(value);
}

/** Kinds of fields that can contain text that a user typed. */
const TYPED: ReadonlySet<string> = new Set(["form", "multipart", "json"]);

/**
 * Returns a function that puts `0` in place of the values that differ in each run. These are the
 * values that the plan extracts or could extract, and text with spaces that the recorded user
 * typed.
 */
export function changingValueMask(
  calls: readonly RecordedCall[],
  correlation: Correlation,
): MaskValues {
  // Built when it is needed, because most conversions write no checks.
  let index: ValueIndex | undefined;
  return (text) => {
    index ??= indexChangingValues(calls, correlation);
    return withShown(text, index.find(text).map((found) => ({ ...found, text: "0" })));
  };
}

function indexChangingValues(
  calls: readonly RecordedCall[],
  { variables, offers }: Correlation,
): ValueIndex {
  const index = new ValueIndex();
  for (const { candidate } of [...variables, ...offers]) index.add(candidate.value);
  for (const { fields } of calls) {
    for (const { kind, value } of fields) {
      if (TYPED.has(kind) && value.length <= 200 && value.includes(" ")) index.add(value);
    }
  }
  return index;
}
