import { dynamicShape, isOpaque } from "../convert/correlate/dynamic.ts";

const TIMESTAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const TOKEN = /[A-Za-z0-9_+\-.~=]{4,}/g;
const RUN = /[A-Za-z0-9]+/g;
const NUMBER = /\d{4,}/g;
/** Longer texts are documents, not values. */
const LONGEST = 8_192;

/** A piece of a request that a server, or the client's script, may have generated. */
export interface Generated {
  readonly value: string;
  /** Whether its look alone says so; otherwise it counts only if a response holds it. */
  readonly isRandom: boolean;
}

/**
 * Lists the pieces of a text that look generated: timestamps, numbers of four digits or more, and what
 * looks random. Does not depend on what `convert` correlates.
 */
export function generatedPieces(text: string): Generated[] {
  if (looksRandom(text)) return [{ value: text, isRandom: true }];
  const found = new Map<string, boolean>();
  for (const [value] of text.matchAll(TIMESTAMP)) found.set(value, false);
  for (const [token] of text.replaceAll(TIMESTAMP, " ").matchAll(TOKEN)) {
    if (looksRandom(token)) {
      found.set(token, true);
      continue;
    }
    for (const [run] of token.matchAll(RUN)) {
      if (looksRandom(run)) found.set(run, true);
      else for (const [number] of run.matchAll(NUMBER)) found.set(number, false);
    }
  }
  return [...found].map(([value, isRandom]) => ({ value, isRandom }));
}

/** The words of a text, by which `holds` finds values in it: runs of letters and digits, and numbers. */
export function splitWords(text: string): string[] {
  return [...text.matchAll(RUN), ...text.matchAll(NUMBER)].map(([word]) => word);
}

/** The runs of letters and digits of a value. */
export function splitRuns(value: string): string[] {
  return value.match(RUN) ?? [];
}

/** Reports whether a text looks like an id or token that nobody types. */
function looksRandom(text: string): boolean {
  if (text.length < 8 || text.length > LONGEST || !/^[\w+\-.~=/%]+$/.test(text)) return false;
  const shape = dynamicShape(text);
  if (shape !== undefined) return shape !== "number";
  const runs = splitRuns(text);
  const isMixed = runs.some((run) => switches(run) >= 3);
  const isOneToken = runs.length <= 2 && isOpaque(text) && runs.some(({ length }) => length >= 16);
  return isMixed || (isOneToken && /[a-z]/.test(text) && /[A-Z]/.test(text));
}

/** How often a letter and a digit meet. */
function switches(run: string): number {
  return [...run.matchAll(/(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/g)].length;
}
