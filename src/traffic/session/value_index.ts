/**
 * Lookup table by ASCII code: 1 for letters and digits, which form tokens, and 0 for other characters,
 * which delimit tokens.
 */
const IN_TOKEN = new Uint8Array(128);
for (const c of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  IN_TOKEN[c.charCodeAt(0)] = 1;
}

/**
 * Minimum length, in UTF-16 units, of values that are searched for within other text. Shorter values
 * must fill a whole field.
 */
export const SHORTEST_WITHIN = 8;

/** An occurrence of a value in a string. Offsets are in UTF-16 units. */
export interface Found {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Position of a value relative to its longest token: the number of UTF-16 units before the token, and
 * the length of the value.
 */
interface Frame {
  readonly before: number;
  readonly length: number;
}

/**
 * Finds many values in text, in time linear in the length of the text. Finds only occurrences that
 * start and end at a token boundary: an end of the text, or a position between a letter or digit
 * and any other character. Indexes each value by its longest token, so that a search looks up only
 * the tokens of the text.
 */
export class ValueIndex {
  readonly #values = new Set<string>();
  readonly #frames = new Map<string, Frame[]>();
  #shortestToken = Infinity;
  #longestToken = 0;

  /**
   * Adds a value to search for. Ignores values of fewer than 8 UTF-16 units and values without letters
   * or digits.
   */
  add(value: string): void {
    if (value.length < SHORTEST_WITHIN || this.#values.has(value)) return;
    const [start, end] = longestToken(value);
    if (start === end) return;
    this.#values.add(value);
    this.#shortestToken = Math.min(this.#shortestToken, end - start);
    this.#longestToken = Math.max(this.#longestToken, end - start);
    const token = value.slice(start, end);
    const frames = this.#frames.get(token);
    if (frames === undefined) {
      this.#frames.set(token, [{ before: start, length: value.length }]);
    } else if (!frames.some((f) => f.before === start && f.length === value.length)) {
      frames.push({ before: start, length: value.length });
    }
  }

  /**
   * Returns the occurrences of the added values in `text`, in order. If occurrences overlap, the one
   * that starts first wins, then the longest.
   */
  find(text: string): Found[] {
    return withoutOverlaps(this.findAll(text));
  }

  /** Returns the occurrences of the added values in `text`, including those that overlap. */
  findAll(text: string): Found[] {
    if (this.#values.size === 0 || text.length < SHORTEST_WITHIN) return [];
    const found: Found[] = [];
    const shortest = this.#shortestToken;
    // The character before `at` is in no token. A token of at least `shortest` characters that starts at
    // `at` or after it therefore contains `probe`, or starts after `probe`.
    // bench: scripts/bench/har.ts, -10 % of the time of a conversion, against visiting every token.
    for (let at = 0; at + shortest <= text.length;) {
      const probe = at + shortest - 1;
      if (!inToken(text.charCodeAt(probe))) {
        at = probe + 1;
        continue;
      }
      let start = probe;
      while (start > at && inToken(text.charCodeAt(start - 1))) start--;
      let end = probe + 1;
      while (end < text.length && inToken(text.charCodeAt(end))) end++;
      if (end - start >= shortest && end - start <= this.#longestToken) {
        this.#addFound(found, text, start, end);
      }
      at = end + 1;
    }
    return found;
  }

  /** Adds the values whose longest token is at `text[start, end)` to `found`. */
  #addFound(found: Found[], text: string, start: number, end: number): void {
    for (const frame of this.#frames.get(text.slice(start, end)) ?? []) {
      const from = start - frame.before;
      const to = from + frame.length;
      if (from < 0 || to > text.length || !isBounded(text, from, to)) continue;
      const value = text.slice(from, to);
      if (this.#values.has(value)) found.push({ value, start: from, end: to });
    }
  }
}

/**
 * Returns the range of the longest token of a value. Returns an empty range if the value has no tokens.
 */
export function longestToken(value: string): [start: number, end: number] {
  let longest: [number, number] = [0, 0];
  forEachToken(value, (start, end) => {
    if (end - start > longest[1] - longest[0]) longest = [start, end];
  });
  return longest;
}

/**
 * Calls `visit` with the range of every token in `text`. A token is a maximal run of letters and
 * digits.
 */
export function forEachToken(text: string, visit: (start: number, end: number) => void): void {
  const length = text.length;
  for (let at = 0; at < length; at++) {
    if (!inToken(text.charCodeAt(at))) continue;
    const start = at++;
    while (at < length && inToken(text.charCodeAt(at))) at++;
    visit(start, at);
  }
}

function inToken(code: number): boolean {
  return code >= 128 || IN_TOKEN[code] === 1;
}

function isBounded(text: string, start: number, end: number): boolean {
  return !joined(text, start) && !joined(text, end);
}

function joined(text: string, at: number): boolean {
  return at > 0 && at < text.length && inToken(text.charCodeAt(at - 1)) &&
    inToken(text.charCodeAt(at));
}

/**
 * Sorts ranges by start and removes overlaps: the range that starts first wins, then the longest. Sorts
 * `found` in place.
 */
export function withoutOverlaps<T extends Pick<Found, "start" | "end">>(found: T[]): T[] {
  if (found.length < 2) return found;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return found.filter((one) => one.start >= done && (done = one.end, true));
}
