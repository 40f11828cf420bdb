import { compile } from "json-p3";
import { singularPath } from "../extract/jsonpath.ts";
import type { Extractor, ExtractorKind, Transform } from "../plan/kinds/extractors.ts";
import { literalText } from "../plan/text/template.ts";
import { optional, templateCode } from "./expressions.ts";
import {
  callCode,
  dataCode,
  listCode,
  type Member,
  memberOf,
  objectCode,
  patternLiteral,
  scalarLiteral,
  stringLiteral,
} from "./javascript.ts";
import { type FlowScope, NotExported } from "./scope.ts";

/** Code that finds values in a response: the list of all values, and the first value. */
export interface Found {
  readonly all: string;
  /** Default: the first item of `all`. */
  readonly first?: string;
}

/** For each kind of extractor, returns code that finds values in the response `res`. */
const EXTRACTORS: {
  readonly [K in ExtractorKind]: (
    extractor: Extract<Extractor, { type: K }>,
    res: string,
    scope: FlowScope,
  ) => Found;
} = {
  jsonpath({ expression, row, take }, _res, scope) {
    if (take === "key") throw new NotExported(`k6 has no names of members at \`${expression}\``);
    return jsonPathCode(expression, "res", row === undefined ? undefined : textCode(row, scope));
  },
  regex: ({ expression, group = 1 }, res) => ({
    all: `matches(${res}, ${patternLiteral(expression, "g")}, ${group})`,
  }),
  css({ expression, attribute, index = "first" }, res) {
    const found = cssCode(expression, res);
    if (attribute === undefined) return { all: `${found}.map((element) => element.text())` };
    const name = stringLiteral(attribute);
    const all = `${found}.map((element) => element.attr(${name}))` +
      ".filter((value) => value !== undefined)";
    if (index !== "first" || !/^[a-z][\w-]*$/.test(attribute)) return { all };
    // Skips elements without the attribute, as the plan does.
    const first = `${res}.html().find(${stringLiteral(expression)})` +
      `.filter("[${attribute}]").attr(${name})`;
    return { all, first };
  },
  xpath: ({ expression }) => {
    throw new NotExported(`k6 has no XPath such as \`${expression}\``);
  },
  boundary: ({ left, right }, res) => ({
    all: `between(${res}, ${stringLiteral(left)}, ${stringLiteral(right)})`,
  }),
  // k6 joins several headers with the same name into one value.
  header({ header, expression }, res) {
    const value = headerCode(header, res);
    const first = expression === undefined
      ? value
      : `${value}?.match(${patternLiteral(expression)})?.[1]`;
    return { all: `[${first}].filter((value) => value !== undefined)`, first };
  },
  cookie: ({ cookie }, res) => ({ all: `cookieValues(${res}, ${stringLiteral(cookie)})` }),
};

/** For each transform, returns the code that applies it to the text with the code `value`. */
const TRANSFORMS: { readonly [T in Transform]: (value: string) => string } = {
  trim: (value) => `${value}.trim()`,
  lowercase: (value) => `${value}.toLowerCase()`,
  uppercase: (value) => `${value}.toUpperCase()`,
  url_encode: (value) => `encodeURIComponent(${value})`,
  url_decode: (value) => `decodeURIComponent(${value})`,
  base64_encode: (value) => `b64encode(${value})`,
  base64_decode: (value) =>
    `b64decode(${value}.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, ""), "rawstd", "s")`,
  html_decode: (value) => `decodeHtml(${value})`,
  json_decode: (value) => `decodeEscapes(${value})`,
  number: (value) => `number(${value})`,
  path: (value) => `pathAndQuery(${value})`,
};

/**
 * Returns the code for the value that an extractor takes from the response in the variable `res`.
 * The code evaluates to undefined if the extraction fails.
 */
export function extractorCode(extractor: Extractor, scope: FlowScope): string {
  const { default: fallback, transform = [], index = "first" } = extractor;
  const row = "row" in extractor && extractor.type !== "jsonpath" ? extractor.row : undefined;
  const res = row === undefined ? "res" : `inRow(res, ${textCode(row, scope)})`;
  const find = EXTRACTORS[extractor.type] as (
    extractor: Extractor,
    res: string,
    scope: FlowScope,
  ) => Found;
  const { all, first = `${all}[0]` } = find(extractor, res, scope);
  const options: Member[] = [];
  if (transform.length > 0) {
    const code = transform.reduce(
      (value, one, i) =>
        TRANSFORMS[one](transform[i - 1] === "number" ? `String(${value})` : value),
      "String(value)",
    );
    options.push(["transform", `(value) => ${code}`]);
  }
  if (fallback !== undefined) options.push(["fallback", dataCode(fallback)]);
  const picked = index === "first"
    ? first
    : index === "last"
    ? `${all}.at(-1)`
    : index === "random"
    ? `randomItem(${all})`
    : index === "all"
    ? `nonEmpty(${all})`
    : `${all}[${index}]`;
  const more = options.length === 0 ? [] : [objectCode(options)];
  return callCode("extract", [`() => ${picked}`, ...more]);
}

/** Returns the code for text that may contain `${…}`, or undefined if a variable is not set. */
export function textCode(template: string, scope: FlowScope): string {
  return literalText(template) === undefined
    ? optional(templateCode(template, scope))
    : templateCode(template, scope).code;
}

/** Matches a pseudo-class that k6 may not support. */
const UNKNOWN_PSEUDO =
  /(?<!\\):(?!:?(?:first|last|only|nth)-|(?:contains|has|not|empty|root|checked|disabled|enabled|input|link|matches)\b)/;

/** Returns the code for the list of elements that a CSS selector matches. */
export function cssCode(selector: string, res: string): string {
  const outside = selector.replace(/"[^"]*"|'[^']*'/g, '""');
  if (UNKNOWN_PSEUDO.test(outside)) {
    throw new NotExported(`k6 may not support a pseudo-class in \`${selector}\``);
  }
  return `elements(${res}, ${stringLiteral(selector)})`;
}

/** Returns the code that reads a response header. k6 stores it under a name such as `X-Id`. */
export function headerCode(name: string, res: string): string {
  const canonical = name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  return memberOf(`${res}.headers`, canonical);
}

/** Returns code that finds the matches of a JSONPath. `row` is the code for a text of the item. */
export function jsonPathCode(expression: string, res: string, row?: string): Found {
  const singular = singularPath(expression);
  const path = singular && gjsonPath(singular);
  if (path !== undefined && row === undefined) {
    const first = `json(${res}, ${stringLiteral(path)})`;
    return { first, all: `[${first}].filter((value) => value !== undefined)` };
  }
  const { segments } = compile(expression) as unknown as {
    readonly segments: readonly { readonly selectors: readonly Selector[] }[];
  };
  const steps = segments.map((segment) => {
    if (segment.selectors.length > 1 || String(segment).startsWith("..")) {
      throw new NotExported(`\`${expression}\` selects several members`);
    }
    return selectorCode(segment.selectors[0], expression);
  });
  return { all: callCode("query", [res, listCode(steps), ...row === undefined ? [] : [row]]) };
}

function gjsonPath(path: readonly (string | number)[]): string | undefined {
  if (path.length === 0) return "@this";
  if (path.some((step) => step === "" || typeof step === "string" && /^\d+$/.test(step))) {
    return undefined;
  }
  return path.map((step) =>
    /^(?:\d+|[A-Za-z_][\w-]*)$/.test(String(step))
      ? String(step)
      : String(step).replace(/[^\w\u0080-\uffff]/g, "\\$&")
  ).join(".");
}

/** Selector of a JSONPath, as parsed by the JSONPath library. */
interface Selector {
  readonly name?: string;
  readonly index?: number;
  readonly expression?: FilterNode;
}

/** Node of a filter expression, as parsed by the JSONPath library. */
interface FilterNode {
  readonly expression?: FilterNode;
  readonly left?: FilterNode;
  readonly operator?: string;
  readonly right?: FilterNode;
  readonly path?: unknown;
  readonly value?: unknown;
}

function selectorCode(selector: Selector, expression: string): string {
  if (selector.name !== undefined) return stringLiteral(selector.name);
  if (selector.index !== undefined) return String(selector.index);
  if (selector.expression !== undefined) {
    return `(item) => ${filterCode(selector.expression, expression)}`;
  }
  if ("start" in selector || "stop" in selector || "step" in selector) {
    throw new NotExported(`\`${expression}\` has a slice`);
  }
  return "all";
}

/** Returns the code for a filter. Operators become those of JavaScript. */
function filterCode(node: FilterNode, expression: string): string {
  if (node.expression !== undefined) return filterCode(node.expression, expression);
  const { operator, left, right } = node;
  const join = (sign: string, write: typeof filterCode) =>
    [left, right].map((one) => write(one!, expression)).join(` ${sign} `);
  switch (operator) {
    case undefined:
      return `${operandCode(node, expression)} !== undefined`;
    case "&&":
    case "||":
      return `(${join(operator, filterCode)})`;
    case "!":
      return `!(${filterCode(right!, expression)})`;
    default:
      return join(/^[=!]/.test(operator) ? `${operator}=` : operator, operandCode);
  }
}

function operandCode(node: FilterNode, expression: string): string {
  // Only queries of the current item start with `@`.
  const path = String(node).startsWith("@") ? singularPath(String(node.path)) : undefined;
  if (path !== undefined) {
    return path.reduce<string>(
      (object, key) =>
        typeof key === "string" ? memberOf(`${object}?`, key) : `${object}?.[${key}]`,
      "item",
    );
  }
  if (String(node) === "null") return "null";
  if ("value" in node) return scalarLiteral(node.value);
  throw new NotExported(`the filter of \`${expression}\` has a function or selects several values`);
}
