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
