import { looksRandom } from "./looks_random.ts";
import { scanRuns } from "./runs.ts";
import { structuredAt } from "./structured_values.ts";

/** Kind of a value that a server could have generated. */
export type GeneratedKind = "number" | "random" | "uuid" | "jwt" | "timestamp";

/** A value that a server could have generated, and its kind. */
export interface GeneratedValue {
  readonly value: string;
  readonly kind: GeneratedKind;
}

/**
 * Lists the values in `text` that a server could have generated: timestamps, UUIDs, JWTs,
 * random-looking runs of letters and digits, and numbers of at least four digits. Considers only
 * the text itself, and neither the names of fields nor the decisions of `convert`. Omits dates
 * without a time, and digits after a decimal point.
 */
export function generatedValues(text: string): GeneratedValue[] {
  const found: GeneratedValue[] = [];
  scanRuns(text, (start, end, digits) => {
    const structured = structuredAt(text, start, end);
    if (structured !== undefined) {
      const { kind, value } = structured;
      if (kind !== "fixed") found.push({ kind, value });
      return structured.end;
    }
    if (end - start < 4) return end;
    const run = text.slice(start, end);
    if (digits === run.length) {
      if (isNumberAt(text, start, end)) found.push({ kind: "number", value: run });
    } else if (looksRandom(run, digits)) found.push({ kind: "random", value: run });
    else if (digits >= 4) {
      for (const { 0: value } of run.matchAll(NUMBER)) found.push({ kind: "number", value });
    }
    return end;
  });
  return found;
}

/** Matches nonzero numbers with at least four digits in a run that also contains letters. */
export const NUMBER = /(?<!\d)(?!0+(?!\d))\d{4,}/g;

const DATE_BEFORE = /(?<!\d)\d\d?([/.])\d\d?\1$/;
const POINT = 0x2e;

/**
 * Reports whether the digits `text[start, end)` count as a number. Returns false for zeros, the
 * fraction of a decimal number, and the year of a date such as `22.11.2026`.
 */
export function isNumberAt(text: string, start: number, end: number): boolean {
  const before = start === 0 ? 0 : text.charCodeAt(start - 1);
  if (before === POINT && isDigit(text.charCodeAt(start - 2))) return false;
  if (end - start === 4 && (before === POINT || before === 0x2f)) {
    if (DATE_BEFORE.test(text.slice(Math.max(0, start - 6), start))) return false;
  }
  for (let at = start; at < end; at++) if (text.charCodeAt(at) !== 0x30) return true;
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
