import { isMap } from "../../base/exact_number.ts";
import { escapeRegex } from "../../base/string_escapes.ts";
import {
  type BodyForm,
  isRedirect,
  mediaTypeOf,
  type ReadBody,
  readBody,
} from "../../comparison/compared_response.ts";
import { withoutValues } from "../../comparison/align_text.ts";
import { literalOf } from "../../correlation/propose_json.ts";
import {
  existsCss,
  MarkupError,
  type ParsedHtml,
  parseHtml,
  selectCss,
} from "../../extract/parse_html.ts";
import { readOutline } from "../../outcome/leaves.ts";
import { urlShape } from "../../outcome/shapes.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import { literal } from "../../plan/text/template.ts";
import { headerValue, type RecordedResponse } from "../../traffic/har/recording.ts";

/** Puts `0` for values that the plan extracts or that a user typed. */
export type MaskValues = (text: string) => string;

/**
 * Level `response` checks what `compareResponses` compares and the plan language can express, but
 * not whether a member such as `status` reports success.
 */
export function recordedChecks(
  response: RecordedResponse,
  level: CheckLevel,
  mask: MaskValues,
): Condition[] {
  if (level === "status") return statusChecks(response);
  return [
    ...statusChecks(response),
    ...mediaTypeChecks(response),
    ...locationChecks(response, mask),
    ...bodyChecks(response, mask),
  ];
}

function bodyChecks(response: RecordedResponse, mask: MaskValues): Condition[] {
  if (isRedirect(response) || [0, 204, 205, 304].includes(response.status)) return [];
  const body = readBody(response);
  return body === undefined ? [] : BODY_CHECKS[body.form](body, mask);
}

const notEmpty = (): Condition[] => [{ type: "size", name: "not empty", min: 1 }];

const BODY_CHECKS: Readonly<
  Record<BodyForm, (body: ReadBody, mask: MaskValues) => Condition[]>
> = {
  json: ({ json, isGuarded }, mask) => isGuarded ? notEmpty() : jsonChecks(json, mask),
  page: pageChecks,
  xml: xmlChecks,
  text: notEmpty,
};

/** What checks compare: only the status, or the whole response. */
export const CHECK_LEVELS = ["status", "response"] as const;

export type CheckLevel = typeof CHECK_LEVELS[number];

/** Status 304 becomes 200, because the plan sends no conditional headers. */
function statusChecks({ status }: RecordedResponse): Condition[] {
  return status === 0 ? [] : [{ type: "status", equals: status === 304 ? 200 : status }];
}

function mediaTypeChecks(response: RecordedResponse): Condition[] {
  const type = mediaTypeOf(response);
  const isBodiless = isRedirect(response) || [204, 205, 304].includes(response.status);
  if (type === "" || isBodiless || response.text === "") return [];
  const stated = headerValue(response.headers, "content-type")?.split(";")[0].trim() || undefined;
  if (stated === undefined) return [];
  return [{
    type: "header",
    name: `media type ${type}`,
    header: "Content-Type",
    contains: literal(stated),
  }];
}

function locationChecks({ headers }: RecordedResponse, mask: MaskValues): Condition[] {
  const location = headerValue(headers, "location")?.replace(/#.*/s, "");
  if (location === undefined) return [];
  const shape = urlShape(mask(location));
  const matches = locationPattern(shape, /^(?:[a-z][a-z0-9+.-]*:)?\//i.test(location));
  if (!new RegExp(matches).test(location)) return [];
  return [{ type: "header", name: `redirect target ${shape}`, header: "Location", matches }];
}

const AUTHORITY = "(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\\/\\/[^\\/?#]*)?";
/** A suffix such as `-2`, which the shape of a URL omits. */
const UNIQUE_SUFFIX = "(?:[-_.~]\\w*\\d\\w*)?";

/** Matches any scheme, host and fragment, and unless `isAbsolute`, a relative URL. */
function locationPattern(shape: string, isAbsolute: boolean): string {
  const [path, query = ""] = shape.split("?");
  const segments = path.slice(1).split("/").map((segment) =>
    shapePattern(segment, "[^\\/?#]*") + (/[^#]$/.test(segment) ? UNIQUE_SUFFIX : "")
  );
  const start = isAbsolute ? `^${AUTHORITY}\\/?` : "^(?:[^?#]*\\/)?";
  return `${start}${segments.join("\\/")}${queryPattern(query)}(?:#.*)?$`;
}

function queryPattern(query: string): string {
  if (query === "") return "\\??";
  const names = query.split("&").map((name) => shapePattern(encodedName(name), "[^=&#]*"));
  const each = names.map((name) => `(?=[^#]*[?&]${name}(?:[=&#]|$))`).join("");
  const pair = `(?:${names.join("|")})(?:=[^&#]*)?`;
  return `${each}\\?${pair}(?:&${pair})*`;
}

function encodedName(name: string): string {
  return encodeURIComponent(name).replaceAll("%23", "#");
}

const MOST_KEYS = 60;
const MOST_FLAGS = 10;

function jsonChecks(json: unknown, mask: MaskValues): Condition[] {
  if (Array.isArray(json)) {
    return [{ type: "body_matches", name: "JSON list", pattern: "^\\s*\\[" }];
  }
  if (!isMap(json)) return [];
  const keys = Object.keys(json);
  const constant = keys.filter((key) => isConstantText(key, mask)).slice(0, MOST_KEYS);
  if (constant.length === 0) {
    return [{ type: "body_matches", name: "JSON object", pattern: "^\\s*\\{" }];
  }
  const tests = constant.map((key) => `$[${literalOf(key)}]`);
  // With `length`, other members, such as `error`, make the check fail.
  if (constant.length === keys.length) tests.unshift(`length($) == ${keys.length}`);
  const flags = Object.entries(json).filter(([key, value]) =>
    typeof value === "boolean" && constant.includes(key)
  );
  return [
    {
      type: "jsonpath",
      name: `JSON members ${constant.join(", ")}`,
      expression: `$[?${tests.join(" && ")}]`,
    },
    ...flags.slice(0, MOST_FLAGS).map(([key, value]): Condition => ({
      type: "jsonpath",
      name: `JSON member ${key} is ${value}`,
      expression: `$[${literalOf(key)}]`,
      equals: value as boolean,
    })),
  ];
}

const MOST_ELEMENTS = 20;
/** An element that reports an error, with or without a prefix. */
const ERROR_ELEMENT = "<(?:[\\w.-]+:)?error[\\s\\/>]";

function xmlChecks(body: ReadBody, mask: MaskValues): Condition[] {
  const { elements = new Set<string>() } = readOutline(body) ?? {};
  const names = [...elements].filter((name) => isConstantText(name, mask)).slice(0, MOST_ELEMENTS);
  const checks: Condition[] = names.length === 0 ? [] : [{
    type: "body_matches",
    name: `XML elements ${names.join(", ")}`,
    pattern: `^${names.map((name) => `(?=[^]*<${escapeRegex(name)}[\\s\\/>])`).join("")}`,
  }];
  if (!new RegExp(ERROR_ELEMENT).test(body.text)) {
    checks.push({
      type: "body_matches",
      name: "no error element",
      pattern: ERROR_ELEMENT,
      negate: true,
    });
  }
  return checks;
}

const MOST_FORMS = 10;
const MOST_FIELDS = 15;
const PASSWORD_FIELD = 'input[type="password"]';

function pageChecks(body: ReadBody, mask: MaskValues): Condition[] {
  try {
    const page = parseHtml(body.text);
    return [
      ...titleChecks(body, mask),
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

function titleChecks(body: ReadBody, mask: MaskValues): Condition[] {
  const raw = TITLE.exec(body.text)?.[1];
  const title = readOutline(body)?.title;
  if (raw === undefined || !title) return [];
  const shape = textShape(raw, mask).replace(/&[^;\s]{1,30};/g, "#").trim()
    .replace(/\s*#[\s#]*/g, "#");
  if (!/\p{L}/u.test(shape)) return [];
  const inner = shapePattern(shape, "[^<]*").replace(/\s+/g, "\\s+");
  const pattern = `<[Tt][Ii][Tt][Ll][Ee]\\b[^>]*>\\s*${inner}\\s*<\\/`;
  if (!new RegExp(pattern).test(body.text)) return [];
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
    const fields = [...names].map((name) => `:has([name=${cssString(name)}])`).join("");
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
  return `form[action${isWhole ? "" : host === "" ? "^" : "*"}=${cssString(constant)}]`;
}

function cssString(text: string): string {
  return `"${
    text.replace(/["\\]/g, "\\$&").replace(
      /[\n\r\f\0]/g,
      (char) => `\\${char.charCodeAt(0).toString(16)} `,
    )
  }"`;
}

function textShape(text: string, mask: MaskValues): string {
  return withoutValues(mask(text));
}

function isConstantText(text: string, mask: MaskValues): boolean {
  return !text.includes("#") && textShape(text, mask) === text;
}

function shapePattern(shape: string, value: string): string {
  return shape.split("#").map(escapeRegex).join(value);
}
