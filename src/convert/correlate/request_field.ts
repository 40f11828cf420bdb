import type { Expression } from "../../plan/template.ts";
import { joinTemplate, type TemplatePart } from "../../plan/template.ts";

/** The part of a request that a field belongs to. */
export type RequestFieldKind = "path" | "query" | "form" | "multipart" | "header" | "json" | "text";

/** A replaced range of a field's recorded text. Offsets are UTF-16 units. */
export interface CharRange {
  readonly start: number;
  readonly end: number;
  readonly expression: Expression;
}

/** A field of a request with one value, and the expressions that replace parts of it. */
export class RequestField {
  readonly kind: RequestFieldKind;
  /** Name of the parameter, header or member; empty if it has none. */
  readonly name: string;
  /** The text in the request, encoded as recorded. */
  readonly recorded: string;
  /** The decoded value: percent-decoded in a URL, otherwise equal to `recorded`. */
  readonly value: string;
  /** Whether it is a number in a JSON body. */
  readonly numeric: boolean;
  /** Maps offsets in `value`, including its end, to offsets in `recorded`; undefined if they are equal. */
  readonly #offsets: readonly number[] | undefined;
  /** Replaced ranges, in order, without overlaps. */
  readonly spans: CharRange[] = [];
  /** Ranges of the recorded text that are never shown, because they are credentials. */
  readonly hidden: { readonly start: number; readonly end: number }[] = [];

  constructor(kind: RequestFieldKind, name: string, recorded: string, options: FieldOptions = {}) {
    this.kind = kind;
    this.name = name;
    this.recorded = recorded;
    this.value = options.value ?? recorded;
    this.numeric = options.numeric ?? false;
    this.#offsets = options.offsets;
  }

  /** Returns the ranges that count as whole values: all of it, and the part after a header's auth scheme. */
  wholes(): readonly (readonly [start: number, end: number])[] {
    const whole = [0, this.value.length] as const;
    if (this.kind !== "header") return [whole];
    const scheme = /^[A-Za-z][\w-]* +(?=\S+$)/.exec(this.value);
    return scheme ? [whole, [scheme[0].length, this.value.length]] : [whole];
  }

  /** Returns the ranges of path segments and parameter values if a header contains a URL, as `Referer` does. */
  addressParts(): readonly (readonly [start: number, end: number])[] {
    const host = this.kind === "header"
      ? /^https?:\/\/[^/?#]*/i.exec(this.value)?.[0].length
      : undefined;
    if (host === undefined) return [];
    return [...this.value.slice(host).matchAll(/(?<=[/=])[^/?#&=]+/g)].map(({ 0: part, index }) =>
      [host + index, host + index + part.length] as const
    );
  }

  /** Converts a range of `value` to the range of `recorded`. */
  recordedRange(start: number, end: number): [start: number, end: number] {
    const offsets = this.#offsets;
    return offsets ? [offsets[start], offsets[end]] : [start, end];
  }

  /** Returns the recorded text with its replacements as template parts. */
  parts(): TemplatePart[] {
    const parts: TemplatePart[] = [];
    let done = 0;
    for (const { start, end, expression } of this.spans) {
      if (start > done) parts.push({ kind: "text", text: this.recorded.slice(done, start) });
      parts.push(expression);
      done = end;
    }
    if (done < this.recorded.length) parts.push({ kind: "text", text: this.recorded.slice(done) });
    return parts;
  }

  /** Returns the field as a template. */
  template(): string {
    return fieldTemplate(this.parts());
  }
}

interface FieldOptions {
  readonly value?: string;
  readonly numeric?: boolean;
  readonly offsets?: readonly number[];
}

/** Joins template parts. Throws if a `$` directly precedes an expression, which would escape it. */
export function fieldTemplate(parts: readonly TemplatePart[]): string {
  const joined = joinTemplate(parts);
  if (joined === undefined) throw new Error("a `$` directly precedes a replaced range");
  return joined;
}
