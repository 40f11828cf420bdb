/** Decodes percent-encoded UTF-8. Returns undefined if it is invalid. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A decoded string, with the offset of each of its characters in the escaped text. */
export interface Unescaped {
  readonly value: string;
  /** Offset in the escaped text of each UTF-16 code unit, and the length of that text. */
  readonly offsets: readonly number[];
}

/** A form of text in which some characters are encoded. */
export interface Encoding {
  readonly pattern: RegExp;
  readonly decode: (match: readonly string[]) => string;
  /** Length of the part of a match that encodes one character. By default, the whole match. */
  readonly step?: number;
}

const CONTROLS: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
};

/** The escape sequences of JSON and JavaScript strings, such as `\/`, `\u003d` and `\x3d`. */
export const ESCAPES: Encoding = {
  pattern: /\\(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,5}|10[0-9a-f]{4})\}|x([0-9a-f]{2})|([^]))/gi,
  decode([, four, braced, two, other]) {
    const code = four ?? braced ?? two;
    return code === undefined ? CONTROLS[other] ?? other : String.fromCodePoint(parseInt(code, 16));
  },
};

/** Decodes the escape sequences of JSON and JavaScript strings. */
export function undoEscapes(text: string): Unescaped {
  return undo(text, ESCAPES);
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  sol: "/",
  equals: "=",
  plus: "+",
  colon: ":",
};

/** Character references of HTML: numeric ones, and the most common named ones. */
export const ENTITIES: Encoding = {
  pattern: /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp|sol|equals|plus|colon));/gi,
  decode([all, decimal, hex, name]) {
    if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()];
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  },
};

/** Decodes the character references in `ENTITIES`. Keeps all other references. */
export function undoEntities(text: string): Unescaped {
  return undo(text, ENTITIES);
}

const PERCENT: Encoding = {
  pattern: /%([0-7][0-9a-f])/gi,
  decode: ([, code]) => String.fromCharCode(parseInt(code, 16)),
};

/** Decodes the percent-encoded ASCII characters in text. Keeps all other characters. */
export function undoPercent(text: string): Unescaped {
  return undo(text, PERCENT);
}

/** Decodes what an encoding encodes in `text`, and keeps the text between. */
export function undo(text: string, { pattern, decode, step = 0 }: Encoding): Unescaped {
  let value = "";
  const offsets: number[] = [];
  const add = (piece: string, at: number, step: number) => {
    value += piece;
    for (let i = 0; i < piece.length; i++) offsets.push(at + i * step);
  };
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    add(text.slice(done, match.index), done, 1);
    add(decode(match), match.index, step);
    done = match.index + match[0].length;
  }
  add(text.slice(done), done, 1);
  offsets.push(text.length);
  return { value, offsets };
}

/** Yields the ranges of the tokens with a backslash, between quotes, whitespace, `<` and `>`. */
export function escapedRuns(text: string): Generator<[start: number, end: number]> {
  return runsAround(text, "\\", IN_SCRIPT);
}

/** Yields the ranges of the tokens with an ampersand, between quotes, `<` and `>`. */
export function entityRuns(text: string): Generator<[start: number, end: number]> {
  return runsAround(text, "&", IN_MARKUP);
}

/** Yields the ranges of the tokens with a percent sign, between delimiters of a query. */
export function percentRuns(text: string): Generator<[start: number, end: number]> {
  return runsAround(text, "%", IN_URL);
}

const IN_SCRIPT = delimiters("\"'`<> \t\r\n");
const IN_MARKUP = delimiters("\"'<>");
const IN_URL = delimiters("\"'`<> \t\r\n&?=;(){}[]\\");

function delimiters(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

function* runsAround(
  text: string,
  mark: string,
  delimiter: Uint8Array,
): Generator<[start: number, end: number]> {
  let end = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, end)) {
    let start = at;
    while (start > end && delimiter[text.charCodeAt(start - 1)] !== 1) start--;
    for (end = at + 1; end < text.length && delimiter[text.charCodeAt(end)] !== 1;) end++;
    yield [start, end];
  }
}

/**
 * Escapes the characters of text that have a special meaning in a regular expression. Unlike
 * `RegExp.escape`, escapes nothing else, because people read the expressions in plans. Not for text
 * within a character class.
 */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Replaces bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

/** Decodes UTF-8, including a byte order mark. Returns undefined if `bytes` are not valid UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the offset of the first byte that is not UTF-8. There must be one. */
export function firstBadByte(bytes: Uint8Array): number {
  const lossy = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  for (const part of lossy.split(REPLACEMENT)) {
    offset += new TextEncoder().encode(part).length;
    if (utf8Text(bytes.subarray(offset, offset + 3)) !== REPLACEMENT) break;
    offset += 3;
  }
  return offset;
}

/**
 * Splits a query or a form into its parameters, each with the separator before it. HTML also
 * recommended `;` (HTML 4.01, B.2.2), which counts before a name, but not in JSON.
 */
export function splitParameters(text: string): [separator: string, parameter: string][] {
  return text.split("&").flatMap((pair, i) => {
    const isJson = /^[^=;]*=(?:[[{"]|%5B|%7B|%22)/i.test(pair);
    const parameters = isJson ? [pair] : pair.split(/;(?=[A-Za-z_][\w.[\]-]*=(?!=))/);
    return parameters.map((parameter, k): [string, string] => [
      k > 0 ? ";" : i > 0 ? "&" : "",
      parameter,
    ]);
  });
}

/** Returns the encoding of text that starts with ASCII, if each character has several bytes. */
export function wideEncoding([a, b]: Uint8Array): string | undefined {
  if (a === 0xff && b === 0xfe || a === 0xfe && b === 0xff) return "UTF-16";
  // The text starts with an ASCII character, so a NUL next to it is the other half of a UTF-16 code
  // unit.
  return (a === 0) !== (b === 0) && a !== undefined && b !== undefined ? "UTF-16" : undefined;
}
