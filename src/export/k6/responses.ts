import { compile } from "json-p3";
import {
  arrowCode,
  callCode,
  isName,
  listCode,
  type Member,
  memberOf,
  objectCode,
  scalarLiteral,
  stringLiteral,
} from "./javascript.ts";
import type { Script } from "./script.ts";
import { singularPath } from "../../extract/jsonpath.ts";

/** Matches a pseudo-class that k6 may not support. */
const UNKNOWN_PSEUDO =
  /(?<!\\):(?!:?(?:first|last|only|nth)-|(?:contains|has|not|empty|root|checked|disabled|enabled|input|link|matches)\b)/;

/** Returns the JavaScript code for the list of elements that a CSS selector matches. */
export function cssCode(selector: string, response: string, script: Script): string {
  noteSelector(selector, script);
  return `${script.use("elements")}(${response}, ${stringLiteral(selector)})`;
}

/** Adds a note if k6 may not support a part of a CSS selector. */
export function noteSelector(selector: string, script: Script): void {
  const outside = selector.replace(/"[^"]*"|'[^']*'/g, '""');
  if (!UNKNOWN_PSEUDO.test(outside)) return;
  script.note("k6-selector", selector, "k6 may not support a pseudo-class in this selector");
}

/** Matches a valid header name. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns the name under which k6 stores a response header, such as `Content-Type`. */
function canonicalHeader(name: string): string {
  if (!TOKEN.test(name)) return name;
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Returns JavaScript code that reads a response header. */
export function headerCode(name: string, response: string): string {
  return memberOf(`${response}.headers`, canonicalHeader(name));
}

/** JavaScript code for the first match of a JSONPath, and for the list of all matches. */
export interface JsonPathCode {
  readonly first: string;
  readonly all: string;
}

/** Matches names that need no escapes in a GJSON path. */
const PLAIN = /^[A-Za-z_][\w-]*$/;

/**
 * Returns JavaScript code that finds the matches of a JSONPath in the response in the variable
 * `response`. Returns undefined if the script cannot express the JSONPath.
 */
export function jsonPathCode(
  expression: string,
  response: string,
  script: Script,
): JsonPathCode | undefined {
  const singular = singularPath(expression);
  const path = singular && gjsonPath(singular);
  if (path !== undefined) {
    const first = `${script.use("json")}(${response}, ${stringLiteral(path)})`;
    return { first, all: `[${first}].filter((value) => value !== undefined)` };
  }
  const steps =
    singular?.map((step) => typeof step === "string" ? stringLiteral(step) : String(step)) ??
      stepCodes(expression, script);
  if (steps === undefined) return undefined;
  script.note(
    "k6-numbers",
    expression,
    "numbers in the response are read as doubles, so digits beyond 2^53 and trailing zeros are lost",
  );
  const all = callCode(script.use("query"), [response, listCode(steps)]);
  return { first: `${all}[0]`, all };
}

/**
 * Returns the GJSON path for the keys and indexes in `path`, or undefined if GJSON cannot express
 * one of them.
 */
function gjsonPath(path: readonly (string | number)[]): string | undefined {
  if (path.length === 0) return "@this";
  if (path.some((step) => step === "" || typeof step === "string" && /^\d+$/.test(step))) {
    return undefined;
  }
  return path.map((step) => {
    const name = String(step);
    return typeof step === "number" || PLAIN.test(name)
      ? name
      : name.replace(/[^\w\u0080-\uffff]/g, "\\$&");
  }).join(".");
}

/** Segment of a JSONPath, such as `.name` or `[0]`, as parsed by the JSONPath library. */
interface Segment {
  readonly selectors: readonly Selector[];
}

interface Selector {
  readonly name?: string;
  readonly index?: number;
  readonly expression?: FilterNode;
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
}

function stepCodes(expression: string, script: Script): string[] | undefined {
  const { segments } = compile(expression) as unknown as { readonly segments: readonly Segment[] };
  const steps: string[] = [];
  for (const segment of segments) {
    if (String(segment).startsWith("..")) steps.push("within");
    const codes = segment.selectors.map((selector) => selectorCode(selector, script));
    const known = codes.filter((code) => code !== undefined);
    if (known.length < codes.length) return undefined;
    steps.push(known.length === 1 ? known[0] : listCode(known));
  }
  return steps;
}

function selectorCode(selector: Selector, script: Script): string | undefined {
  if (selector.name !== undefined) return stringLiteral(selector.name);
  if (selector.index !== undefined) return String(selector.index);
  if (selector.expression !== undefined) {
    const test = filterCode(selector.expression, script);
    return test && arrowCode(/\broot\b/.test(test) ? "(item, root)" : "(item)", test);
  }
  const isSlice = "start" in selector || "stop" in selector || "step" in selector;
  return isSlice ? sliceCode(selector) : "() => true";
}

/**
 * Returns the code for an object that contains the bounds and the step of a list slice: only those
 * that the slice specifies, such as `start` and `stop` for `[1:3]`.
 */
function sliceCode({ start, stop, step }: Selector): string {
  const members = Object.entries({ start, stop, step }).flatMap(([name, value]): Member[] =>
    value === undefined ? [] : [[name, String(value)]]
  );
  return objectCode(members);
}

/** Node of a filter expression, as parsed by the JSONPath library. */
interface FilterNode {
  readonly expression?: FilterNode;
  readonly left?: FilterNode;
  readonly operator?: string;
  readonly right?: FilterNode;
  readonly path?: unknown;
  readonly value?: unknown;
  /** Name and arguments of a function. */
  readonly name?: string;
  readonly args?: readonly FilterNode[];
}

/**
 * Returns JavaScript code that tests the variable `item` with the condition of a JSONPath filter.
 * The code may read the whole JSON from the variable `root`. Returns undefined if the script cannot
 * express the condition.
 */
function filterCode(node: FilterNode, script: Script): string | undefined {
  if (node.expression !== undefined) return filterCode(node.expression, script);
  if (node.left !== undefined) {
    const isLogical = node.operator === "&&" || node.operator === "||";
    const [left, right] = [node.left, node.right!].map((one) =>
      isLogical ? filterCode(one, script) : operandCode(one, script)
    );
    if (left === undefined || right === undefined) return undefined;
    if (isLogical) return `(${left} ${node.operator} ${right})`;
    return comparisonCode(node, left, right, script);
  }
  if (node.operator === "!") {
    const inner = filterCode(node.right!, script);
    return inner && `!(${inner})`;
  }
  const value = node.path === undefined ? undefined : operandCode(node, script);
  return value && `${value} !== undefined`;
}

/** Returns code that compares the codes `left` and `right` of two operands as JSONPath does. */
function comparisonCode(
  { operator, left: leftNode, right: rightNode }: FilterNode,
  left: string,
  right: string,
  script: Script,
): string | undefined {
  const isDeep = leftNode!.path !== undefined && rightNode!.path !== undefined;
  const equal = () => isDeep ? `${script.use("same")}(${left}, ${right})` : `${left} === ${right}`;
  const below = (a: string, b: string) => `${script.use("isBelow")}(${a}, ${b})`;
  switch (operator) {
    case "==":
      return equal();
    case "!=":
      return isDeep ? `!${equal()}` : `${left} !== ${right}`;
    case "<":
      return below(left, right);
    case "<=":
      return `(${below(left, right)} || ${equal()})`;
    case ">":
      return below(right, left);
    case ">=":
      return `(${below(right, left)} || ${equal()})`;
    default:
      return undefined;
  }
}

/**
 * Names of inherited properties, which JavaScript reads even if a JSON value has no such member.
 */
const INHERITED: ReadonlySet<string> = new Set(
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype]
    .flatMap((prototype) => Object.getOwnPropertyNames(prototype)),
);

function operandCode(node: FilterNode, script: Script): string | undefined {
  if (node.args !== undefined) {
    const value = node.name === "length" ? operandCode(node.args[0], script) : undefined;
    return value && `${script.use("sizeOf")}(${value})`;
  }
  if (node.path === undefined) {
    if (String(node) === "null") return "null";
    return "value" in node ? scalarLiteral(node.value) : undefined;
  }
  // Only queries of the current item start with `@`. The others start at the root.
  const start = String(node).startsWith("@") ? "item" : "root";
  const path = singularPath(String(node.path));
  if (path === undefined || path.some(isMisread)) return undefined;
  return path.reduce<string>((code, step) => {
    if (typeof step === "number") return `${script.use("itemOf")}(${code}, ${step})`;
    return isName(step) ? `${code}?.${step}` : `${code}?.[${stringLiteral(step)}]`;
  }, start);
}

/** Reports whether JavaScript reads a name also from values that have no such member. */
function isMisread(step: string | number): boolean {
  return typeof step === "string" && (INHERITED.has(step) || /^\d+$/.test(step));
}
