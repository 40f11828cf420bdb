import type { WrittenNumber } from "../../base/exact_number.ts";
import type { FunctionName } from "../kinds/functions/functions.ts";

/**
 * A reference in a template: to a variable of the flow, to a member of a namespace such as `vars`,
 * or to a property of the run such as `vu`.
 */
export type Reference =
  | { readonly kind: "env"; readonly name: string; readonly default?: string }
  | { readonly kind: "vars" | "secrets" | "setup" | "variable"; readonly name: string }
  | { readonly kind: "data"; readonly source: string; readonly column: string }
  | { readonly kind: "vu" | "iteration" | "scenario" | "unique" };

/** Value of a literal: text, a number with its original digits, `true`, `false` or `null`. */
export type LiteralValue = string | boolean | null | WrittenNumber;

/** A function call, such as `random_int(1, 6)`. */
export interface Call {
  readonly kind: "call";
  readonly name: FunctionName;
  readonly arguments: readonly Expression[];
}

/** Operators with two operands, by precedence from the lowest to the highest. */
export const OPERATORS = [
  ["or"],
  ["and"],
  ["==", "!=", "<", "<=", ">", ">=", "matches"],
  ["??"],
  ["+", "-"],
  ["*", "/", "%"],
] as const;

/** An operator with two operands. */
export type BinaryOperator = (typeof OPERATORS)[number][number];

/** The parsed content of `${…}` in a template. */
export type Expression =
  | Reference
  | Call
  | { readonly kind: "literal"; readonly value: LiteralValue }
  /** A member of a map or an item of a list: `of.key` or `of[key]`. */
  | { readonly kind: "member"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "unary"; readonly operator: "-" | "not"; readonly operand: Expression }
  | {
    readonly kind: "binary";
    readonly operator: BinaryOperator;
    readonly left: Expression;
    readonly right: Expression;
  };

/** Returns the expression that calls a function. */
export function call(name: FunctionName, ...args: readonly Expression[]): Call {
  return { kind: "call", name, arguments: args };
}

/** Returns the expression `uuid(name)`. */
export function namedUuid(name: string): Call {
  return call("uuid", { kind: "variable", name });
}

/** Returns NAME if an expression is `uuid(NAME)` or contains it, otherwise undefined. */
export function uuidName(expression: Expression): string | undefined {
  if (isCallOf("uuid", expression)) {
    const [name] = expression.arguments;
    return name?.kind === "variable" ? name.name : undefined;
  }
  return subexpressions(expression).map(uuidName).find((name) => name !== undefined);
}

/** Reports whether an expression is a call to the function `name`. */
export function isCallOf(name: FunctionName, expression: Expression): expression is Call {
  return expression.kind === "call" && expression.name === name;
}

/**
 * Returns the operands of an operator, the arguments of a call, or the container and the key of a
 * member.
 */
export function subexpressions(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "call":
      return expression.arguments;
    case "member":
      return [expression.of, expression.key];
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    default:
      return [];
  }
}

/**
 * Returns the name of the flow variable in `name`, `url_encode(name)` or `base64(name)`. Returns
 * undefined for any other part of a template.
 */
export function wrappedVariable(part: Expression | { kind: "text" }): string | undefined {
  const isEncoded = part.kind === "call" && (part.name === "url_encode" || part.name === "base64");
  const inner = isEncoded ? part.arguments[0] : part;
  return inner.kind === "variable" ? inner.name : undefined;
}

/** Returns the names of the flow variables that an expression reads. Empty for text. */
export function readVariables(part: Expression | { readonly kind: "text" }): string[] {
  if (part.kind === "text" || isCallOf("uuid", part)) return [];
  return part.kind === "variable" ? [part.name] : subexpressions(part).flatMap(readVariables);
}

/** Returns an expression with a literal in place of the flow variable `name`. */
export function withLiteral(expression: Expression, name: string, value: string): Expression {
  const edit = (part: Expression) => withLiteral(part, name, value);
  switch (expression.kind) {
    case "variable":
      return expression.name === name ? { kind: "literal", value } : expression;
    case "call":
      // The argument of `uuid` is a name that identifies the UUID.
      return expression.name === "uuid"
        ? expression
        : { ...expression, arguments: expression.arguments.map(edit) };
    case "member":
      return { ...expression, of: edit(expression.of), key: edit(expression.key) };
    case "unary":
      return { ...expression, operand: edit(expression.operand) };
    case "binary":
      return { ...expression, left: edit(expression.left), right: edit(expression.right) };
    default:
      return expression;
  }
}

/** Reports whether an expression, or a part of it, reads the flow variable `name`. */
export function readsVariable(expression: Expression, name: string): boolean {
  if (expression.kind === "variable") return expression.name === name;
  if (isCallOf("uuid", expression)) return false;
  return subexpressions(expression).some((part) => readsVariable(part, name));
}
