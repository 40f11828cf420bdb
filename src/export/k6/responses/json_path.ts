import { compile } from "json-p3";
import { singularPath } from "../../../extract/jsonpath.ts";
import { arrowCode, callCode, listCode, type Member, objectCode } from "../js/code_layout.ts";
import { stringLiteral } from "../js/literal.ts";
import type { Script } from "../script/script.ts";
import { filterCode, type FilterNode } from "./json_filter.ts";

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
