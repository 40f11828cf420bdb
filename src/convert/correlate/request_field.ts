import type { Expression } from "../../plan/template.ts";
import { joinTemplate, type TemplatePart } from "../../plan/template.ts";

/** The part of a request that a slot is. */
export type RequestFieldKind = "path" | "query" | "form" | "multipart" | "header" | "json" | "text";

/** A piece of a slot's recorded text and what stands in its place. Offsets are UTF-16 units. */
export interface CharRange {
  readonly start: number;
  readonly end: number;
  readonly expression: Expression;
}

/** A place in a request that holds one value, and what was put in place of it. */
export class RequestField {
  readonly kind: RequestFieldKind;
  /** The field it stands in; empty when it has none. */
  readonly name: string;
  /** The text as it stands in the request. */
  readonly recorded: string;
  /** The value that the text stands for: percent-decoded in a URL, else the text itself. */
  readonly value: string;
  /** A number in a JSON body. */
  readonly numeric: boolean;
  /** For each position in `value` and its end, the position in `recorded`; undefined when they are the same. */
  readonly #offsets: readonly number[] | undefined;
  /** Replaced pieces, in order, none overlapping. */
  readonly spans: CharRange[] = [];
  /** Pieces of the recorded text that are never shown: credentials. */
  readonly hidden: { readonly start: number; readonly end: number }[] = [];

  constructor(kind: RequestFieldKind, name: string, recorded: string, more: SlotExtras = {}) {
    this.kind = kind;
    this.name = name;
    this.recorded = recorded;
    this.value = more.value ?? recorded;
    this.numeric = more.numeric ?? false;
    this.#offsets = more.offsets;
  }

  /** Where the pieces stand that count as whole values: the value itself, or what follows a header's scheme. */
  wholes(): readonly (readonly [start: number, end: number])[] {
    const whole = [0, this.value.length] as const;
    if (this.kind !== "header") return [whole];
    const scheme = /^[A-Za-z][\w-]* +(?=\S+$)/.exec(this.value);
    return scheme ? [whole, [scheme[0].length, this.value.length]] : [whole];
  }

  /** Where a header holds an address, as `Referer` does: its path segments and parameter values. */
  addressParts(): readonly (readonly [start: number, end: number])[] {
    const host = this.kind === "header"
      ? /^https?:\/\/[^/?#]*/i.exec(this.value)?.[0].length
      : undefined;
    if (host === undefined) return [];
    return [...this.value.slice(host).matchAll(/(?<=[/=])[^/?#&=]+/g)].map(({ 0: part, index }) =>
      [host + index, host + index + part.length] as const
    );
  }

  /** The recorded text of a piece of the value. */
  recordedRange(start: number, end: number): [start: number, end: number] {
    const offsets = this.#offsets;
    return offsets ? [offsets[start], offsets[end]] : [start, end];
  }

  /** The recorded text with its replaced pieces, as template parts. */
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

  /** The slot as a template. */
  template(): string {
    return fieldTemplate(this.parts());
  }
}

interface SlotExtras {
  readonly value?: string;
  readonly numeric?: boolean;
  readonly offsets?: readonly number[];
}

/** The template of parts of which none puts a `$` right before an expression. */
export function fieldTemplate(parts: readonly TemplatePart[]): string {
  const joined = joinTemplate(parts);
  if (joined === undefined) throw new Error("a `$` stands right before a replaced piece");
  return joined;
}
