import { BACKSLASH, QUOTE } from "./ascii.ts";
import { ExactNumber, writtenNumber } from "./exact_number.ts";

// Prefilter: matches every JSON number that JavaScript would print differently, and may match other
// text. Two patterns, because one combined pattern takes twice as long.
const LONG_INTEGER = /\d{16}/;
const OTHER_NOTATION =
  /(?:(?<=\d{5})\.\d+|\.(?:\d{12,}|\d*0|0{6}\d*)|[eE][+-]?\d+|-0)\s*(?:[,\]}]|$)/;

/**
 * Parses JSON like `JSON.parse`. A number that JavaScript would print differently, such as 1.10,
 * becomes an `ExactNumber`. Throws `SyntaxError` if the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  const value = JSON.parse(text);
  return LONG_INTEGER.test(text) || OTHER_NOTATION.test(text)
    ? restore(value, parseSource(text))
    : value;
}

/** Parses JSON, but returns each number as its text. */
export function parseSource(text: string): unknown {
  // Not a reviver: it also receives the source, but takes three times as long.
  return JSON.parse(quoteNumbers(text));
}

/**
 * Returns `value` with an `ExactNumber` in place of each number that JavaScript would print
 * differently from its JSON text. `source` is the result of `parseSource` for the same text.
 * Modifies `value` in place if it is an object.
 */
export function restore(value: unknown, source: unknown): unknown {
  const root = [value];
  const stack: [value: Members, source: Members][] = [[root as never, [source] as never]];
  // An explicit stack: JSON may be nested too deeply for recursion.
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [value, source] = top;
    const restoreMember = (key: string | number) => {
      const member = value[key];
      if (typeof member === "object" && member !== null) {
        stack.push([member as Members, source[key] as Members]);
      } else if (typeof member === "number") {
        const number = writtenNumber(source[key] as string);
        if (number instanceof ExactNumber) value[key] = number;
      }
    };
    if (Array.isArray(value)) { for (let i = 0; i < value.length; i++) restoreMember(i); }
    else for (const key of Object.keys(value)) restoreMember(key);
  }
  return root[0];
}

type Members = Record<string | number, unknown>;

/** Reports whether JavaScript prints every number in `value` as in `text`. May say no wrongly. */
export function isAsWritten(value: unknown, text: string): boolean {
  if (typeof value === "object" && value !== null) {
    return !LONG_INTEGER.test(text) && !OTHER_NOTATION.test(text);
  }
  if (typeof value !== "number") return true;
  return (!Number.isInteger(value) || Number.isSafeInteger(value)) && !OTHER_NOTATION.test(text);
}

const START = /["\d-]/g;
const NUMBER = /[\d.eE+-]+/y;

/** Returns JSON text with quotes around every number. */
function quoteNumbers(json: string): string {
  let quoted = "";
  let done = 0;
  START.lastIndex = 0;
  while (START.test(json)) {
    const start = START.lastIndex - 1;
    if (json.charCodeAt(start) === QUOTE) START.lastIndex = stringEnd(json, start);
    else {
      NUMBER.lastIndex = start;
      NUMBER.test(json);
      const end = START.lastIndex = NUMBER.lastIndex;
      quoted += json.slice(done, start) + '"' + json.slice(start, end) + '"';
      done = end;
    }
  }
  return quoted + json.slice(done);
}

function stringEnd(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1);; quote = json.indexOf('"', quote + 1)) {
    let escape = quote;
    while (json.charCodeAt(escape - 1) === BACKSLASH) escape--;
    if ((quote - escape) % 2 === 0) return quote + 1;
  }
}

/** Returns a string unchanged, and any other value as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reports whether `text` is a JSON object or list. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
