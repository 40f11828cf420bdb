import type { OptionalSource } from "../../src/correlation/source_kinds.ts";

/**
 * A labelled value of a recording. The same object is used wherever the recording contains the
 * value.
 */
export class Value {
  readonly text: string;

  /**
   * Creates a labelled value. `json` is the value in JSON, and `truth` the content of its label.
   */
  constructor(readonly json: string | number, readonly truth: Truth) {
    this.text = String(json);
  }

  /** Returns the same value in a different encoding. */
  as(encode: (text: string) => string): Value {
    return new Value(encode(this.text), this.truth);
  }
}

/** Expected treatment of a labelled value. All encodings of the value share one object. */
export interface Truth {
  /** True if the plan extracts the value from a response by default. */
  readonly correlate: boolean;
  /** Source, such as `header`, that `--correlate` must include for the value to be correlated. */
  readonly option?: OptionalSource;
  readonly why: string;
}

/** A string that consists of literal strings and labelled values. */
export class Mixed {
  constructor(readonly pieces: readonly (string | Value)[]) {}
}

export type Text = string | Value | Mixed;

/** Creates a string that contains labelled values: `` text`Bearer ${token}` ``. */
export function text(strings: TemplateStringsArray, ...values: (string | Value)[]): Mixed {
  return new Mixed(strings.flatMap((string, i) => i in values ? [string, values[i]] : [string]));
}

/** Returns the literal strings and the labelled values that make up a string, in order. */
export function listPieces(text: Text): readonly (string | Value)[] {
  return text instanceof Mixed ? text.pieces : [text];
}

/** Returns the plain string, as it appears in the HAR. */
export function written(text: Text): string {
  return listPieces(text).map((piece) => piece instanceof Value ? piece.text : piece).join("");
}
