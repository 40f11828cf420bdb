import { asText } from "../../base/exact_json.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { compileExpression } from "./compile_expression.ts";
import { constant, type Rendered, renderedFrom } from "./rendered.ts";
import type { Scope } from "./scope.ts";

/**
 * Compiles a string that may contain `${…}`. Throws InputError if a constant is not defined, and
 * TemplateError if the syntax is invalid.
 */
export function compileTemplate(template: string, scope: Scope): Rendered<string> {
  return joined(compilePieces(template, scope));
}

/**
 * Compiles a string that may contain `${…}` into one or more pieces, which are constant text or the
 * values of expressions. Adjacent constants become one piece.
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

/** Joins adjacent pieces that are constant. */
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
