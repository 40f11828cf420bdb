import type { Option } from "./label.ts";

/** A recorded value whose fate the labels state, to be put wherever it stands. */
export class Value {
  readonly text: string;

  /**
   * @param json As it stands in JSON.
   * @param truth What its label says.
   */
  constructor(readonly json: string | number, readonly truth: Truth) {
    this.text = String(json);
  }

  /** The same value in another encoding. */
  as(encode: (text: string) => string): Value {
    return new Value(encode(this.text), this.truth);
  }
}

/** What a label says of a value, in whatever encoding that stands; one object for each label. */
export interface Truth {
  /** Whether later requests take it from the response that holds it, under the default rules. */
  readonly correlate: boolean;
  /** The option of `--correlate` under which they do. */
  readonly option?: Option;
  readonly why: string;
}

/** Text that holds values. */
export class Mixed {
  constructor(readonly pieces: readonly (string | Value)[]) {}
}

export type Text = string | Value | Mixed;

/** Text with values in it: `` text`Bearer ${token}` ``. */
export function text(strings: TemplateStringsArray, ...values: (string | Value)[]): Mixed {
  return new Mixed(strings.flatMap((string, i) => i in values ? [string, values[i]] : [string]));
}

/** The pieces of a text, in order. */
export function listPieces(text: Text): readonly (string | Value)[] {
  return text instanceof Mixed ? text.pieces : [text];
}

/** The text as it is recorded. */
export function written(text: Text): string {
  return listPieces(text).map((piece) => piece instanceof Value ? piece.text : piece).join("");
}
