import { ExactNumber, type WrittenNumber } from "../../base/exact_number.ts";
import type { FunctionName } from "./functions.ts";

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

/** Operands, arguments, or the container and key of a member. */
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

/** The variable in `name`, `url_encode(name)` or `base64(name)`. */
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

/** Names of run properties that expressions use without a prefix. */
export const BARE = ["vu", "iteration", "scenario", "unique"] as const;

/** Namespaces that can precede a name, as in `vars.NAME`. */
export const SPACES = ["env", "vars", "secrets", "data"] as const;

/**
 * Those that templates supported before expressions. Flows cannot set variables with these names.
 */
const FIRST_FUNCTIONS = [
  ...["now", "pkce_verifier", "pkce_challenge", "uuid", "random_int", "url_encode", "base64"],
];

/** Names with a special meaning in `${…}`. A flow cannot set variables with these names. */
export const RESERVED: ReadonlySet<string> = new Set([...BARE, ...SPACES, ...FIRST_FUNCTIONS]);

export const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** No white space, none of `:=?+`, and no `-` at the start: not `NAME:-default`, as in a shell. */
export const ENV_NAME = /^[^\s:=?+-][^\s:=?+]*$/;

/** Reports whether a list of names contains `name`. */
export function isMember<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}

/** Precedence of expressions that never need parentheses. */
const HIGHEST = OPERATORS.length + 1;
const UNARY = OPERATORS.length;
const NOT = 2;

/**
 * Formats an expression as it appears between `${` and `}`. The result parses as an equal
 * expression.
 */
export function formatBare(expression: Expression): string {
  switch (expression.kind) {
    case "variable":
      return expression.name;
    case "setup":
      return `setup.${expression.name}`;
    case "env":
      return `env.${expression.name}` +
        (expression.default === undefined ? "" : `:-${expression.default}`);
    case "vars":
    case "secrets":
      return UNQUOTED.test(expression.name)
        ? `${expression.kind}.${expression.name}`
        : formatInner(expression);
    case "data":
      return UNQUOTED.test(expression.column)
        ? `data.${expression.source}.${expression.column}`
        : formatInner(expression);
    case "literal":
      return formatLiteral(expression.value);
    case "call":
      return `${expression.name}(${expression.arguments.map(formatInner).join(", ")})`;
    case "member":
      return formatMember(expression.of, expression.key);
    case "unary": {
      const level = expression.operator === "-" ? UNARY : NOT;
      const operand = operandText(expression.operand, level);
      return expression.operator === "-" ? `-${spaced(operand)}` : `not ${operand}`;
    }
    case "binary": {
      const level = levelOf(expression);
      const isRight = expression.operator === "??";
      const isComparison = level === NOT;
      const left = operandText(expression.left, isRight || isComparison ? level + 1 : level);
      const right = operandText(expression.right, isRight ? level : level + 1);
      return `${left} ${expression.operator} ${right}`;
    }
    default:
      return expression.kind;
  }
}

function spaced(operand: string): string {
  return /^[-\d]/.test(operand) ? `(${operand})` : operand;
}

/** A whole expression that needs no quotes: a single word, or several plain words. */
const UNQUOTED = /^(?:[^\s"'}]+|(?!.*\b(?:and|or|matches)\b)[\w.-]+(?: \w[\w.-]*)*)$/;
/** Matches a name that needs no quotes within a larger expression. */
const PLAIN = /^[^\s()+*/%<>=!?,"'[\]{}|&]+$/;

function formatInner(expression: Expression): string {
  switch (expression.kind) {
    case "vars":
    case "secrets":
      return PLAIN.test(expression.name)
        ? formatBare(expression)
        : `${expression.kind}[${JSON.stringify(expression.name)}]`;
    case "data": {
      const { source, column } = expression;
      return PLAIN.test(source) && PLAIN.test(column)
        ? formatBare(expression)
        : `data.${source}[${JSON.stringify(column)}]`;
    }
    default:
      return formatBare(expression);
  }
}

function operandText(expression: Expression, least: number): string {
  const text = formatInner(expression);
  return levelOf(expression) < least ? `(${text})` : text;
}

function formatMember(of: Expression, key: Expression): string {
  // After `vars.a`, `.b` and `[b]` would be part of the name.
  const isPlain = of.kind === "variable" || of.kind === "call" || of.kind === "member" ||
    of.kind === "setup";
  const base = isPlain ? formatBare(of) : `(${formatInner(of)})`;
  const isName = key.kind === "literal" && typeof key.value === "string" &&
    /^[A-Za-z_]\w*$/.test(key.value);
  return isName ? `${base}.${key.value}` : `${base}[${formatInner(key)}]`;
}

function formatLiteral(value: unknown): string {
  return value instanceof ExactNumber ? value.text : JSON.stringify(value);
}

function levelOf(expression: Expression): number {
  if (expression.kind === "unary") return expression.operator === "-" ? UNARY : NOT;
  if (expression.kind !== "binary") return HIGHEST;
  const { operator } = expression;
  return OPERATORS.findIndex((names) => (names as readonly string[]).includes(operator));
}
