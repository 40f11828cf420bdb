import {
  call,
  type Expression,
  uuidName,
  wrappedVariable,
} from "../plan/expressions/expression.ts";
import { joinTemplate, literal, type TemplatePart } from "../plan/text/template.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import { isFormText } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";
import { type ShownRange, withShown } from "../traffic/session/value_index.ts";
import { isEncoded, type Use } from "./pieces.ts";
import type { Variable } from "./variable.ts";

export function replaceUses(variables: readonly Variable[]): Replacements {
  const replaced = variables.flatMap((variable) =>
    variable.sent.map((use): Replacement => {
      const [start, end] = use.field.recordedRange(use.start, use.end);
      return { field: use.field, start, end, expression: expressionFor(use, variable) };
    })
  );
  const byField = Map.groupBy(replaced, ({ field }) => field);
  return new Replacements(
    [...byField].flatMap(([field, inField]) =>
      field instanceof Base64Field ? [base64Replacement(field, inField)] : inField
    ),
  );
}

export type Extracted = Pick<Variable, "candidate" | "extractor">;

/**
 * Returns the expression to write in a request for a use of a variable's value. If the field
 * contains the value within base64, the expression is for the base64.
 */
export function writtenExpression(use: Use, variable: Extracted): Expression {
  const { field, start, end } = use;
  const expression = expressionFor(use, variable);
  if (!(field instanceof Base64Field)) return expression;
  return base64Replacement(field, [{ field, start, end, expression }]).expression;
}

/**
 * Returns the expression that replaces a use of a variable's value. Wraps the variable in
 * `url_encode` if the request percent-encodes the value, or if the value is a number but the JSON
 * body of the request contains it as a string.
 */
function expressionFor(use: Use, { candidate, extractor }: Extracted): Expression {
  const { call: sender, field, start, end } = use;
  const variable = { kind: "variable", name: extractor.name } as const;
  if (field instanceof Base64Field) return variable;
  const asText = candidate.numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const isText = asText || isFormText(sender, field);
  return isText || isEncoded(use) ? call("url_encode", variable) : variable;
}

/**
 * An expression that replaces a range of a field's recorded text. Offsets are in UTF-16 code units.
 */
export interface Replacement {
  readonly field: RequestField;
  readonly start: number;
  readonly end: number;
  readonly expression: Expression;
  /** Fixed text after the value of the expression. */
  readonly suffix?: string;
}

const NONE: readonly Replacement[] = [];

/** The expressions that replace parts of request fields. */
export class Replacements {
  readonly #byField: ReadonlyMap<RequestField, Replacement[]>;

  /**
   * Groups replacements by field. Ranges in the same field must not overlap, but can be in any
   * order.
   */
  constructor(all: readonly Replacement[]) {
    this.#byField = Map.groupBy(all, ({ field }) => field);
    for (const ranges of this.#byField.values()) ranges.sort((a, b) => a.start - b.start);
  }

  /**
   * Returns an object that contains these replacements and `more`. Ranges in `more` must not
   * overlap existing ones.
   */
  with(more: readonly Replacement[]): Replacements {
    if (more.length === 0) return this;
    return new Replacements([...[...this.#byField.values()].flat(), ...more]);
  }

  /** Returns the replacements in a field, in ascending order of their offsets. */
  of(field: RequestField): readonly Replacement[] {
    return this.#byField.get(field) ?? NONE;
  }

  /** Reports whether no replacement overlaps a range of a field's recorded text. */
  isFree({ field, start, end }: Omit<Replacement, "expression">): boolean {
    return !this.of(field).some((replacement) =>
      replacement.start < end && start < replacement.end
    );
  }

  /**
   * Returns the recorded text of a field as template parts, with an expression for each replaced
   * range.
   */
  parts(field: RequestField): TemplatePart[] {
    const parts: TemplatePart[] = [];
    let done = 0;
    for (const { start, end, expression, suffix } of this.of(field)) {
      if (start > done) parts.push({ kind: "text", text: field.recorded.slice(done, start) });
      parts.push(expression);
      if (suffix) parts.push({ kind: "text", text: suffix });
      done = end;
    }
    if (done < field.recorded.length) {
      parts.push({ kind: "text", text: field.recorded.slice(done) });
    }
    return parts;
  }

  /** Returns fields and the text between them as template parts. */
  piecesParts(pieces: readonly (string | RequestField)[]): TemplatePart[] {
    return pieces.flatMap((piece) =>
      typeof piece === "string" ? [{ kind: "text", text: piece }] : this.parts(piece)
    );
  }

  /**
   * Returns a field as template text, with an expression for each replaced range. Throws Error if a
   * `$` directly precedes an expression.
   */
  template(field: RequestField): string {
    return this.#byField.has(field) ? joinParts(this.parts(field)) : literal(field.recorded);
  }

  /**
   * Formats the recorded text of a field for display. Writes `${name}` in place of each replaced
   * range, and the `text` of each hidden range in place of that range. Ignores hidden ranges that
   * overlap a replaced range.
   */
  shown(field: RequestField, hidden: readonly ShownRange[] = []): string {
    const ranges = this.of(field);
    if (ranges.length + hidden.length === 0) return field.recorded;
    const replaced = ranges.map(({ start, end, expression }) => {
      const name = uuidName(expression) ?? wrappedVariable(expression) ??
        ("name" in expression ? expression.name : undefined);
      return { start, end, text: name === undefined ? "" : `\${${name}}` };
    });
    if (hidden.length === 0) return withShown(field.recorded, replaced);
    const others = hidden.filter(({ start, end }) => this.isFree({ field, start, end }));
    return withShown(
      field.recorded,
      [...replaced, ...others].sort((a, b) => a.start - b.start),
    );
  }
}

/**
 * Returns a replacement of the base64 that contains a text. The expression encodes the text with
 * the expressions in `replaced`, which must not overlap.
 */
function base64Replacement(
  text: Base64Field,
  replaced: readonly Replacement[],
): Replacement {
  const parts = new Replacements(replaced).parts(text).map((part): Expression =>
    part.kind === "text" ? { kind: "literal", value: part.text } : part
  );
  const joined = parts.reduce((left, right): Expression => (
    { kind: "binary", operator: "+", left, right }
  ));
  const encoded = call(text.encoding, joined);
  const { outer: field } = text;
  const [start, end] = field.recordedRange(text.start, text.end);
  return { field, start, end, expression: text.inUrl ? call("url_encode", encoded) : encoded };
}

/**
 * Joins template parts into template text. Throws Error if a `$` directly precedes an expression,
 * because `$${` is an escape.
 */
export function joinParts(parts: readonly TemplatePart[]): string {
  const joined = joinTemplate(parts);
  if (joined === undefined) throw new Error("a `$` directly precedes a replaced range");
  return joined;
}
