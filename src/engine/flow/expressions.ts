import { InputError } from "../../base/errors.ts";
import { asText, ExactNumber, isMap, isNumber } from "../../base/exact_number.ts";
import type { Call, Expression } from "../../plan/expressions/expression.ts";
import { formatExpression, parseTemplate } from "../../plan/text/template.ts";
import { FlowEnd, TemplateFault, UnsetVariable } from "../vu/flow_end.ts";
import { FUNCTIONS, PURE } from "./functions.ts";
import { type Scope, variableIndex } from "./scope.ts";
import {
  checkLength,
  compileOperator,
  constant,
  constantValue,
  type Rendered,
  renderedFrom,
  shown,
  varying,
} from "./values.ts";

/**
 * Compiles the expression between `${` and `}`. Its value can have any JSON type. Rendering throws
 * TemplateFault if the expression cannot be evaluated. Throws InputError if a constant is not
 * defined, or if the expression is constant and cannot be evaluated.
 */
export function compileExpression(expression: Expression, scope: Scope): Rendered<unknown> {
  try {
    return compile(expression, scope);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    const text = scope.constants.hide(`${formatExpression(expression)}: ${error.message}`);
    throw new InputError(text, { source: "the plan" }, { cause: error });
  }
}

function compile(expression: Expression, scope: Scope): Rendered<unknown> {
  switch (expression.kind) {
    case "call":
      return compileCall(expression, scope);
    case "member":
      return compileMember(expression, scope);
    case "unary":
      return compileOperator(
        expression.operator,
        [compile(expression.operand, scope)],
        undefined,
      );
    case "binary": {
      const { operator, left, right } = expression;
      const operands = operator === "??" && left.kind === "env"
        ? [compileEnv(left.name, left.default, scope, true), compile(right, scope)]
        : [compile(left, scope), compile(right, scope)];
      const pattern = operator === "matches" && right.kind === "literal" ? right.value : undefined;
      return compileOperator(operator, operands, pattern);
    }
    case "env":
      return compileEnv(expression.name, expression.default, scope, false);
    case "vars":
    case "secrets":
      return constant(scope.constants[expression.kind](expression.name));
    case "literal":
      return constant(expression.value);
    case "scenario":
      return constant(scope.scenario);
    case "vu":
      return varying((vu) => vu.id);
    case "iteration":
      return varying((vu) => vu.iteration);
    case "unique":
      return varying((vu) => vu.unique);
    case "setup":
      return setupVariable(expression.name, scope);
    case "variable":
      return variable(expression.name, scope);
    case "data":
      return column(expression.source, expression.column, scope);
  }
}

function compileCall(call: Call, scope: Scope): Rendered<unknown> {
  const evaluate = FUNCTIONS[call.name];
  const pure = PURE.has(call.name);
  const args = call.arguments.map((arg) =>
    call.name === "uuid" && arg.kind === "variable" ? constant(arg.name) : compile(arg, scope)
  );
  if (!pure && args.every((arg) => arg.constant)) {
    // As in `random_int(1, 6)`. bench: scripts/bench/engine.ts
    const values = args.map((arg) => constantValue(arg));
    return varying((vu) => evaluate(values, vu));
  }
  const build: Rendered<unknown>["render"] = (vu) =>
    evaluate(args.map((arg) => arg.render(vu)), vu);
  return pure ? renderedFrom(args, build) : varying(build);
}

function compileMember(
  { of, key }: Extract<Expression, { kind: "member" }>,
  scope: Scope,
): Rendered<unknown> {
  const parts = [compile(of, scope), compile(key, scope)];
  return renderedFrom(parts, (vu) => {
    const [value, name] = [parts[0].render(vu), parts[1].render(vu)];
    if (Array.isArray(value) && isNumber(name)) {
      const index = Number(name);
      const item = value[index < 0 ? value.length + index : index];
      if (item !== undefined) return item;
    } else if (isMap(value)) {
      const member = String(name);
      if (Object.hasOwn(value, member) && value[member] !== undefined) return value[member];
    }
    throw new UnsetVariable(`${shown(value)} has no member ${shown(name)}`);
  });
}

/**
 * Compiles `env.NAME`. If `fallback` is given, it replaces an unset or empty variable. Without a
 * fallback, an unset variable is null if `optional` is true; otherwise, it causes an InputError.
 */
function compileEnv(
  name: string,
  fallback: string | undefined,
  { constants }: Scope,
  optional: boolean,
): Rendered<unknown> {
  if (fallback !== undefined) return constant(constants.optionalEnv(name) || fallback);
  return constant(optional ? constants.optionalEnv(name) ?? null : constants.env(name));
}

function setupVariable(name: string, { setup }: Scope): Rendered<unknown> {
  return varying(() => {
    const value = Object.hasOwn(setup.current, name) ? setup.current[name] : undefined;
    if (value === undefined) {
      throw new UnsetVariable(`the variable "setup.${name}" is not set`, `setup.${name}`);
    }
    return value;
  });
}

function variable(name: string, scope: Scope): Rendered<unknown> {
  const index = variableIndex(scope, name);
  return varying(({ variables }) => {
    const value = variables[index];
    if (value === undefined) throw new UnsetVariable(`the variable "${name}" is not set`, name);
    return value;
  });
}

function column(name: string, column: string, scope: Scope): Rendered<unknown> {
  const source = scope.sources.get(name);
  return varying((vu) => {
    if (source === undefined) throw new TemplateFault(`the plan defines no data source "${name}"`);
    const row = vu.rows[source.index] ??= source.next(vu);
    if (row === undefined) throw new FlowEnd(source.endsWith, false);
    const value = row[column];
    if (value === undefined) {
      throw new TemplateFault(`the data source "${name}" has no column "${column}"`);
    }
    return value;
  });
}

export function compileTemplate(template: string, scope: Scope): Rendered<string> {
  return joined(compilePieces(template, scope));
}

/** Compiles a string that may contain `${…}` into constant texts and values of expressions. */
export function compilePieces(template: string, scope: Scope): Rendered<string>[] {
  return joinConstants(
    parseTemplate(template).map((part) => {
      if (part.kind === "text") return constant(part.text);
      const value = compileExpression(part, scope);
      return renderedFrom([value], (vu) => asText(value.render(vu)));
    }),
  );
}

export function joinConstants(pieces: readonly Rendered<string>[]): Rendered<string>[] {
  const all: Rendered<string>[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (piece.constant && last?.constant) all[all.length - 1] = joined([last, piece]);
    else all.push(piece);
  }
  return all;
}

export function joined(pieces: readonly Rendered<string>[]): Rendered<string> {
  if (pieces.length === 1) return pieces[0];
  return renderedFrom(pieces, (vu) => {
    let text = "";
    for (let i = 0; i < pieces.length; i++) text += pieces[i].render(vu);
    return text;
  });
}

export function encoded(text: Rendered<string>): Rendered<Uint8Array> {
  return renderedFrom([text], (vu) => ENCODER.encode(text.render(vu)));
}

const ENCODER = new TextEncoder();

/**
 * Compiles a JSON value whose strings and member names are templates. A string that is a single
 * `${…}` has the type of the expression. Rendering throws TemplateFault if a string becomes too
 * long.
 */
export function compileValue(value: unknown, scope: Scope): Rendered<unknown> {
  if (typeof value === "string") return compileText(value, scope);
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return constant(value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => compileValue(item, scope));
    return renderedFrom(items, (vu) => items.map((item) => item.render(vu)));
  }
  const members = Object.entries(value).map(([name, member]) =>
    [compileTemplate(name, scope), compileValue(member, scope)] as const
  );
  return renderedFrom(
    members.flat(),
    (vu) =>
      Object.fromEntries(members.map(([name, member]) => [name.render(vu), member.render(vu)])),
  );
}

function compileText(template: string, scope: Scope): Rendered<unknown> {
  const [only, ...more] = parseTemplate(template);
  const value = only.kind !== "text" && more.length === 0
    ? compileExpression(only, scope)
    : compileTemplate(template, scope);
  return renderedFrom([value], (vu) => {
    const text = value.render(vu);
    if (typeof text === "string") checkLength(text.length);
    return text;
  });
}
