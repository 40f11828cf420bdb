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
  readonly args?: unknown;
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
 * Returns undefined if the script cannot express the condition.
 */
export function filterCode(node: FilterNode, script: Script): string | undefined {
  if (node.expression !== undefined) return filterCode(node.expression, script);
  if (node.left !== undefined) {
    const isLogical = node.operator === "&&" || node.operator === "||";
    const [left, right] = [node.left, node.right!].map((one) =>
      isLogical ? filterCode(one, script) : operandCode(one)
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
  const value = node.path === undefined ? undefined : operandCode(node);
  return value && `${value} !== undefined`;
}

/**
 * Names of inherited properties, which JavaScript reads even if a JSON value has no such member.
 */
const INHERITED: ReadonlySet<string> = new Set(
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype]
    .flatMap((prototype) => Object.getOwnPropertyNames(prototype)),
);

function operandCode(node: FilterNode): string | undefined {
  if (node.args !== undefined) return undefined;
  if (node.path === undefined) {
    if (String(node) === "null") return "null";
    return "value" in node ? scalarLiteral(node.value) : undefined;
  }
  // Only queries of the current item start with `@`.
  if (!String(node).startsWith("@")) return undefined;
  const path = singularPath(String(node.path));
  if (path === undefined || path.some((step) => INHERITED.has(String(step)))) return undefined;
  return "item" + path.map((step) => {
    if (typeof step === "number") return `?.[${step}]`;
    return isName(step) ? `?.${step}` : `?.[${stringLiteral(step)}]`;
  }).join("");
}
