/** A placeholder for a regenerated value in a recorded text. */
export interface Hole {
  /** Raw recorded value. */
  readonly rawValue: string;
  /** Encodes a raw value in the form of the recorded one. */
  write(value: string): string;
}

/** A recorded text with placeholders for regenerated values. */
export type Template = readonly (string | Hole)[];

/** Fills each placeholder of a template. */
export function fill(template: Template, valueOf: (rawValue: string) => string): string {
  return template.map((piece) =>
    typeof piece === "string" ? piece : piece.write(valueOf(piece.rawValue))
  ).join("");
}

/** Lists the recorded values of a template's placeholders. */
export function recordedValues(template: Template): string[] {
  return template.flatMap((piece) => typeof piece === "string" ? [] : [piece.rawValue]);
}
