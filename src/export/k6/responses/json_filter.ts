import { isName } from "../js/names.ts";
import { scalarLiteral, stringLiteral } from "../js/literal.ts";
import type { Script } from "../script/script.ts";
import { singularPath } from "../../../extract/jsonpath.ts";

/** Node of a filter expression, as parsed by the JSONPath library. */
export interface FilterNode {
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

const OPERATORS: Readonly<Record<string, string>> = {
  "==": "===",
  "!=": "!==",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

/**
 * Returns JavaScript code that tests the variable `item` with the condition of a JSONPath filter.
 * The code may read the whole JSON from the variable `root`. Returns undefined if the script cannot
 * express the condition.
 */
export function filterCode(node: FilterNode, script: Script): string | undefined {
  if (node.expression !== undefined) return filterCode(node.expression, script);
  if (node.left !== undefined) {
    const isLogical = node.operator === "&&" || node.operator === "||";
    const [left, right] = [node.left, node.right!].map((one) =>
      isLogical ? filterCode(one, script) : operandCode(one, script)
    );
    if (left === undefined || right === undefined) return undefined;
    if (isLogical) return `(${left} ${node.operator} ${right})`;
    const isDeep = node.left.path !== undefined && node.right!.path !== undefined;
    if (isDeep && node.operator === "==") return `${script.use("same")}(${left}, ${right})`;
    const operator = OPERATORS[node.operator ?? ""];
    return operator && `${left} ${operator} ${right}`;
  }
  if (node.operator === "!") {
    const inner = filterCode(node.right!, script);
    return inner && `!(${inner})`;
  }
  const value = node.path === undefined ? undefined : operandCode(node, script);
  return value && `${value} !== undefined`;
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
  if (path === undefined || path.some((step) => INHERITED.has(String(step)))) return undefined;
  return start + path.map((step) => {
    if (typeof step === "number") return `?.[${step}]`;
    return isName(step) ? `?.${step}` : `?.[${stringLiteral(step)}]`;
  }).join("");
}
