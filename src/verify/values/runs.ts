const DIGIT = 1;
const LETTER = 2;
const ESCAPE = 3;

/**
 * Class of each ASCII character, such as `DIGIT`, or 0 for a delimiter. Characters that are not
 * ASCII are also delimiters.
 */
const CLASS = new Uint8Array(128);
for (let code = 0x30; code <= 0x39; code++) CLASS[code] = DIGIT;
for (let code = 0x41; code <= 0x5a; code++) CLASS[code] = CLASS[code + 0x20] = LETTER;
for (const character of "\\%&") CLASS[character.charCodeAt(0)] = ESCAPE;

/** Minimum length of the runs that `scanRuns` visits, except before a comma. */
const SHORTEST = 4;

const COMMA = 0x2c;
const ENTITY = /&(?:#x?[0-9a-f]{1,6}|[a-z]{2,8});/iy;
const PERCENT = /%(?:25)*[0-9a-f]{2}/iy;
const BACKSLASH = /\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbfv])?/iy;

/**
 * Called with the offsets of a run of letters and digits, `[start, end)`, and the number of digits
 * in it. Returns the offset at which to continue, which is `end` unless the function handled more
 * text.
 */
export type VisitRun = (start: number, end: number, digits: number) => number;

/**
 * Visits the maximal runs of ASCII letters and digits in `text` that have at least four characters,
 * and runs of three characters before a comma (weekdays of HTTP dates). Escape sequences (`\u003d`,
 * `\n`, `%2B`, `&amp;`) separate runs, so that a value has the same runs in each encoding. Takes
 * time linear in the length of the text.
 */
export function scanRuns(text: string, visit: VisitRun): void {
  const { length } = text;
  for (let at = 0; at < length;) {
    const first = text.charCodeAt(at);
    const kind = first < 128 ? CLASS[first] : 0;
    if (kind === 0) {
      at++;
      continue;
    }
    if (kind === ESCAPE) {
      at = afterEscape(text, at, first);
      continue;
    }
    const start = at;
    let digits = 0;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      const is = code < 128 ? CLASS[code] : 0;
      if (is === DIGIT) digits++;
      else if (is !== LETTER) break;
    }
    const size = at - start;
    if (size >= SHORTEST || (size === 3 && text.charCodeAt(at) === COMMA)) {
      at = visit(start, at, digits);
    }
  }
}

/**
 * Returns the offset after the escape sequence that starts at `at`, or the offset after the
 * character at `at` if no escape sequence starts there.
 */
function afterEscape(text: string, at: number, code: number): number {
  const pattern = code === 0x5c ? BACKSLASH : code === 0x25 ? PERCENT : ENTITY;
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at + 1;
}
