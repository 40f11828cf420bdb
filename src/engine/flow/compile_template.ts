import { asText } from "../../base/exact_json.ts";
import { type Expression, parseTemplate } from "../../plan/text/template.ts";
import { FlowEnd, TemplateFault, UnsetVariable } from "../vu/flow_end.ts";
import { pkceChallenge, pkceVerifier } from "./pkce.ts";
import { constant, type Rendered, renderedFrom, varying } from "./rendered.ts";
import { type Scope, variableIndex } from "./scope.ts";

/**
 * Compiles a string that may contain `${…}`. Throws InputError if a constant is not defined, and
 * TemplateError if the syntax is invalid.
 */
export function compileTemplate(template: string, scope: Scope): Rendered<string> {
  return joined(compilePieces(template, scope));
}

/**
 * Compiles a string that may contain `${…}` into one or more pieces. Adjacent constants become one
 * piece.
 */
export function compilePieces(template: string, scope: Scope): Rendered<string>[] {
  return joinConstants(
    parseTemplate(template).map((part) => {
      if (part.kind === "text") return constant(part.text);
      const value = compileExpression(part, scope);
      return renderedFrom([value], (vu) => asText(value.render(vu)));
    }),
  );
}

/** Joins adjacent constant pieces. */
export function joinConstants(pieces: readonly Rendered<string>[]): Rendered<string>[] {
  const all: Rendered<string>[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (piece.constant && last?.constant) all[all.length - 1] = joined([last, piece]);
    else all.push(piece);
  }
  return all;
}

/** Joins all pieces into one string. */
export function joined(pieces: readonly Rendered<string>[]): Rendered<string> {
  if (pieces.length === 1) return pieces[0];
  return renderedFrom(pieces, (vu) => {
    let text = "";
    for (let i = 0; i < pieces.length; i++) text += pieces[i].render(vu);
    return text;
  });
}

/** Encodes a string as UTF-8 bytes. */
export function encoded(text: Rendered<string>): Rendered<Uint8Array> {
  return renderedFrom([text], (vu) => ENCODER.encode(text.render(vu)));
}

const ENCODER = new TextEncoder();

/**
 * Compiles the expression between `${` and `}`. Its value can have any JSON type. Throws InputError
 * if a constant is not defined.
 */
export function compileExpression(expression: Expression, scope: Scope): Rendered<unknown> {
  switch (expression.kind) {
    case "env":
    case "vars":
    case "secrets":
      return constant(scope.constants[expression.kind](expression.name));
    case "scenario":
      return constant(scope.scenario);
    case "vu":
      return varying((vu) => vu.id);
    case "iteration":
      return varying((vu) => vu.iteration);
    case "unique":
      return varying((vu) => vu.unique);
    case "uuid": {
      const { name } = expression;
      return varying((vu) => name === undefined ? vu.random.uuid() : vu.namedUuid(name));
    }
    case "now":
      return varying(() => Date.now());
    case "pkce_verifier":
      return varying((vu) => pkceVerifier(vu));
    case "pkce_challenge":
      return varying((vu) => pkceChallenge(pkceVerifier(vu)));
    case "random_int":
      return varying(({ random }) => random.int(expression.min, expression.max));
    case "variable":
      return variable(expression.name, scope);
    case "url_encode":
      return applied(compileExpression(expression.argument, scope), encodeURIComponent);
    case "base64":
      return applied(
        compileExpression(expression.argument, scope),
        (text) => ENCODER.encode(text).toBase64(),
      );
    case "data":
      return column(expression.source, expression.column, scope);
  }
}

function variable(name: string, scope: Scope): Rendered<unknown> {
  const index = variableIndex(scope, name);
  return varying(({ variables }) => {
    const value = variables[index];
    if (value === undefined) throw new UnsetVariable(name);
    return value;
  });
}

function applied(value: Rendered<unknown>, change: (text: string) => string): Rendered<string> {
  return renderedFrom([value], (vu) => change(asText(value.render(vu)).toWellFormed()));
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
