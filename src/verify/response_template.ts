/** A place in a recorded text where a value stands that is made anew. */
export interface Hole {
  /** The recorded value, plain. */
  readonly plain: string;
  /** Writes a plain value in the form in which the recorded one stands there. */
  write(value: string): string;
}

/** A recorded text, cut where it holds values that are made anew. */
export type Template = readonly (string | Hole)[];

/** The text with each hole filled. */
export function fill(template: Template, valueOf: (plain: string) => string): string {
  return template.map((piece) =>
    typeof piece === "string" ? piece : piece.write(valueOf(piece.plain))
  ).join("");
}

/** The recorded values that a template has holes for. */
export function recordedValues(template: Template): string[] {
  return template.flatMap((piece) => typeof piece === "string" ? [] : [piece.plain]);
}
