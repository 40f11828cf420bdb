/**
 * A position in a JSON value, as a linked list of steps from the value up to the root. The root itself
 * is undefined.
 */
export interface JsonPlace {
  readonly parent: JsonPlace | undefined;
  readonly step: string | number;
}

/** Returns the position `step` below `parent`, or the root (undefined) if `step` is undefined. */
export function appendStep(
  parent: JsonPlace | undefined,
  step: string | number | undefined,
): JsonPlace | undefined {
  return step === undefined ? undefined : { parent, step };
}

const SHORTHAND = /^[A-Za-z_][A-Za-z0-9_]*$/;
const STEP = /^(?:[\b\t\n\f\r]|[^\p{Cc}\p{Cs}]|[\u007f-\u009f])*$/u;
const ESCAPES: Record<string, string> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "'": "\\'",
  "\\": "\\\\",
};

/** Formats a position as an RFC 9535 path, such as `$.a.b[0]['odd name']`. */
export function formatJsonPath(place: JsonPlace | undefined): string {
  const steps: string[] = [];
  for (let at = place; at !== undefined; at = at.parent) steps.push(segment(at.step));
  return "$" + steps.reverse().join("");
}

/**
 * Reports whether the engine's JSONPath library accepts the path to `place`. The library rejects control
 * characters that have no short escape.
 */
export function isReachable(place: JsonPlace | undefined): boolean {
  for (let at = place; at !== undefined; at = at.parent) {
    if (typeof at.step === "string" && !STEP.test(at.step)) return false;
  }
  return true;
}

function segment(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return SHORTHAND.test(step) ? "." + step : `['${step.replace(/[\p{Cc}'\\]/gu, escape)}']`;
}

function escape(character: string): string {
  return ESCAPES[character] ?? "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}
