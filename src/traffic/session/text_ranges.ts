/** A range of a string, in UTF-16 code units, and the text to show instead. */
export interface ShownRange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns `text` with each range replaced by its `ShownRange.text`. The ranges must be in ascending
 * order and must not overlap.
 */
export function withShown(text: string, ranges: readonly ShownRange[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: shown } of ranges) {
    result += text.slice(done, start) + shown;
    done = end;
  }
  return result + text.slice(done);
}

/**
 * Sorts ranges by start and removes overlaps: the range that starts first wins, then the longest.
 * Sorts `found` in place.
 */
export function withoutOverlaps<T extends Pick<ShownRange, "start" | "end">>(found: T[]): T[] {
  if (found.length < 2) return found;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return found.filter((one) => one.start >= done && (done = one.end, true));
}

/**
 * Lookup table by ASCII code: 1 for letters and digits, which form tokens, and 0 for other
 * characters, which delimit tokens.
 */
const IN_TOKEN = new Uint8Array(128);
for (const c of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  IN_TOKEN[c.charCodeAt(0)] = 1;
}

/** Number of different hashes that `tokenMark` can return. */
export const MARKS = 1 << 16;

/**
 * Returns the range of the longest token of a value. Returns an empty range if the value has no
 * tokens.
 */
export function longestToken(value: string): [start: number, end: number] {
  let longest: [number, number] = [0, 0];
  const { length } = value;
  for (let at = 0; at < length; at++) {
    const start = at;
    while (at < length && inToken(value.charCodeAt(at))) at++;
    if (at - start > longest[1] - longest[0]) longest = [start, at];
  }
  return longest;
}

/**
 * Calls `visit` with the range of every token in `text`, and with `text`. A token is a maximal run
 * of letters, digits and characters that are not ASCII.
 */
export function forEachToken(
  text: string,
  visit: (start: number, end: number, text: string) => void,
): void {
  const length = text.length;
  for (let at = 0; at < length; at++) {
    if (!inToken(text.charCodeAt(at))) continue;
    const start = at++;
    while (at < length && inToken(text.charCodeAt(at))) at++;
    visit(start, at, text);
  }
}

/** Reports whether a value is one token. */
export function isOneToken(value: string): boolean {
  for (let at = 0; at < value.length; at++) if (!inToken(value.charCodeAt(at))) return false;
  return value !== "";
}

/**
 * Reports whether a UTF-16 code unit is part of a token: a letter, a digit or any non-ASCII
 * character.
 */
export function inToken(code: number): boolean {
  return code >= 128 || IN_TOKEN[code] === 1;
}

/** Reports whether a range starts and ends at token boundaries. */
export function isBounded(text: string, start: number, end: number): boolean {
  return !joined(text, start) && !joined(text, end);
}

function joined(text: string, at: number): boolean {
  return at > 0 && at < text.length && inToken(text.charCodeAt(at - 1)) &&
    inToken(text.charCodeAt(at));
}

/** Hashes the length and four characters of a token to a number below `MARKS`. */
export function tokenMark(text: string, start: number, end: number): number {
  let mark = end - start;
  mark = Math.imul(mark, 0x01000193) ^ text.charCodeAt(start);
  mark = Math.imul(mark, 0x01000193) ^ text.charCodeAt((start + end) >> 1);
  mark = Math.imul(mark, 0x01000193) ^ text.charCodeAt((3 * start + end) >> 2);
  mark = Math.imul(mark, 0x01000193) ^ text.charCodeAt(end - 1);
  return (mark ^ (mark >>> 16)) & (MARKS - 1);
}
