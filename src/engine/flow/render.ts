import { asText } from "../../base/exact_json.ts";
import { type Expression, parseTemplate } from "../../plan/text/template.ts";
import { FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import { type Scope, variableIndex } from "./scope.ts";
import type { Vu } from "../vu/vu.ts";

/**
 * Compiled template: the text if it is constant, otherwise a function that renders it for a VU. The
 * function throws TemplateFault if a variable is not set, and FlowEnd if no data row is left.
 */
export type Render = string | ((vu: Vu) => string);

/**
 * Compiled expression: a constant of any JSON type, or a function that evaluates the expression for
 * a VU.
 */
export type Value = { readonly fixed: unknown } | ((vu: Vu) => unknown);

/**
 * Compiles a template. Throws InputError if a constant is not defined, and TemplateError if the
 * syntax is invalid.
 */
export function compileTemplate(template: string, scope: Scope): Render {
  return joined(compilePieces(template, scope));
}

/**
 * Compiles a template into a list of at least one piece. Adjacent constants are joined to one
 * piece.
 */
export function compilePieces(template: string, scope: Scope): Render[] {
  const pieces: Render[] = [];
  for (const part of parseTemplate(template)) {
    const value: Value = part.kind === "text"
      ? { fixed: part.text }
      : compileExpression(part, scope);
    const piece = typeof value === "function" ? (vu: Vu) => asText(value(vu)) : asText(value.fixed);
    const last = pieces.length - 1;
    if (typeof piece === "string" && typeof pieces[last] === "string") pieces[last] += piece;
    else pieces.push(piece);
  }
  return pieces;
}

/** Joins pieces to one template, which is constant if all pieces are constant. */
export function joined(pieces: readonly Render[]): Render {
  if (pieces.length === 1) return pieces[0];
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  return (vu) => {
    let text = "";
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i];
      text += typeof piece === "string" ? piece : piece(vu);
    }
    return text;
  };
}

/** Renders a compiled template for a VU. */
export function render(template: Render, vu: Vu): string {
  return typeof template === "string" ? template : template(vu);
}

/** Compiles the expression between `${` and `}`. */
export function compileExpression(expression: Expression, scope: Scope): Value {
  switch (expression.kind) {
    case "env":
    case "vars":
    case "secrets":
      return { fixed: scope.constants[expression.kind](expression.name) };
    case "scenario":
      return { fixed: scope.scenario };
    case "vu":
      return (vu) => vu.id;
    case "iteration":
      return (vu) => vu.iteration;
    case "uuid":
      return (vu) => vu.random.uuid();
    case "now":
      return () => Date.now();
    case "random_int":
      return ({ random }) => random.int(expression.min, expression.max);
    case "variable":
      return variable(expression.name, scope);
    case "url_encode":
      return applied(compileExpression(expression.argument, scope), encodeURIComponent);
    case "base64":
      return applied(
        compileExpression(expression.argument, scope),
        (text) => new TextEncoder().encode(text).toBase64(),
      );
    case "data":
      return column(expression.source, expression.column, scope);
  }
}

function variable(name: string, scope: Scope): (vu: Vu) => unknown {
  const index = variableIndex(scope, name);
  return ({ variables }) => {
    const value = variables[index];
    if (value === undefined) throw new TemplateFault(`the variable "${name}" is not set`);
    return value;
  };
}

function applied(value: Value, change: (text: string) => string): Value {
  const apply = (value: unknown) => change(asText(value).toWellFormed());
  return typeof value === "function" ? (vu) => apply(value(vu)) : { fixed: apply(value.fixed) };
}

function column(name: string, column: string, scope: Scope): (vu: Vu) => unknown {
  const source = scope.sources.get(name);
  if (source === undefined) {
    return () => {
      throw new TemplateFault(`there is no data source "${name}"`);
    };
  }
  const { index } = source;
  return (vu) => {
    const row = vu.rows[index] ??= source.next(vu);
    if (row === undefined) throw new FlowEnd(source.endsWith, false);
    const value = row[column];
    if (value === undefined) {
      throw new TemplateFault(`the data source "${name}" has no column "${column}"`);
    }
    return value;
  };
}
