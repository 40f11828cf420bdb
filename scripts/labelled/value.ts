/** A recorded value whose fate the labels state, to be put wherever it stands. */
export class Value {
  readonly text: string;

  /**
   * @param json As it stands in JSON.
   * @param correlate Whether later requests should take it from the response that holds it.
   */
  constructor(readonly json: string | number, readonly correlate: boolean, readonly why: string) {
    this.text = String(json);
  }
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
export function piecesOf(text: Text): readonly (string | Value)[] {
  return text instanceof Mixed ? text.pieces : [text];
}

/** The text as it is recorded. */
export function written(text: Text): string {
  return piecesOf(text).map((piece) => piece instanceof Value ? piece.text : piece).join("");
}
