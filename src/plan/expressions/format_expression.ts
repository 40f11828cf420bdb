import { ExactNumber } from "../../base/exact_number.ts";
import { type Expression, OPERATORS } from "./expression.ts";

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

/**
 * Parenthesizes an operand that starts with `-` or a digit: after a minus, it would parse as `--`
 * or as a negative number.
 */
function spaced(operand: string): string {
  return /^[-\d]/.test(operand) ? `(${operand})` : operand;
}

/**
 * Matches a name that needs no quotes if it is the whole expression: a single word, or several
 * plain words.
 */
const UNQUOTED = /^(?:[^\s"'}]+|(?!.*\b(?:and|or|matches)\b)[\w.-]+(?: \w[\w.-]*)*)$/;
/** Matches a name that needs no quotes within a larger expression. */
const PLAIN = /^[^\s()+*/%<>=!?,"'[\]{}|&]+$/;

/** Formats an expression that is part of another one, where names may have to be quoted. */
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
