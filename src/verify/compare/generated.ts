import { dynamicShape, isOpaque } from "../../traffic/session/dynamic_value.ts";

const TIMESTAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const TOKEN = /[A-Za-z0-9_+\-.~=]{4,}/g;
const RUN = /[A-Za-z0-9]+/g;
const NUMBER = /\d{4,}/g;
/** Maximum length of a random-looking text, in characters. Longer texts are documents. */
const LONGEST = 8_192;

/** A part of a request that the server or a script of the client may have generated. */
export interface Generated {
  readonly value: string;
  /** Whether the value looks random. Other values count as generated only if a response contains them. */
  readonly isRandom: boolean;
}

/**
 * Lists the parts of a text that look generated: timestamps, numbers of at least four digits, and
 * random-looking ids and tokens. Independent of the correlation by `convert`.
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

/** Splits a text into words for a search index: alphanumeric runs, and numbers of at least four digits. */
export function splitWords(text: string): string[] {
  return [...text.matchAll(RUN), ...text.matchAll(NUMBER)].map(([word]) => word);
}

/** Lists the alphanumeric runs (ASCII letters and digits) of a value. */
export function splitRuns(value: string): string[] {
  return value.match(RUN) ?? [];
}

/** Reports whether a text looks like a generated id or token instead of text that a person typed. */
function looksRandom(text: string): boolean {
  if (text.length < 8 || text.length > LONGEST || !/^[\w+\-.~=/%]+$/.test(text)) return false;
  const shape = dynamicShape(text);
  if (shape !== undefined) return shape !== "number";
  const runs = splitRuns(text);
  const isMixed = runs.some((run) => switches(run) >= 3);
  const isOneToken = runs.length <= 2 && isOpaque(text) && runs.some(({ length }) => length >= 16);
  return isMixed || (isOneToken && /[a-z]/.test(text) && /[A-Z]/.test(text));
}

/** Counts the changes between letters and digits in a run: 3 in `a1b2`. */
function switches(run: string): number {
  return [...run.matchAll(/(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/g)].length;
}
