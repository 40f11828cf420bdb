import { parseExactJson } from "../../base/exact_json.ts";
import { isJson } from "./body_bytes.ts";

/** Maximum nesting depth of a JSON body that is taken apart. Deeper bodies are kept as text. */
const DEEPEST = 64;

/**
 * Parses the JSON body of a request and keeps every digit of its numbers. Returns undefined if the
 * text is not JSON, if it is nested more than 64 levels deep, or if writing the value again would
 * change it: if an object repeats a name, or has names that JavaScript sorts. White space and the
 * escape sequences of strings do not count.
 */
export function readJsonBody(text: string): { readonly value: unknown } | undefined {
  if (depth(text) > DEEPEST) return undefined;
  try {
    const value = parseExactJson(text);
    const written = JSON.stringify(value);
    const isSame = written === compactJson(text, rewritten) && !written.includes('"__proto__":');
    return isSame ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function compactJson(text: string, convert = (string: string) => string): string {
  const pieces: string[] = [];
  const next = /["\s]/g;
  for (let done = 0; done < text.length; done = next.lastIndex) {
    const found = next.exec(text);
    pieces.push(text.slice(done, found?.index));
    if (found === null) break;
    if (found[0] !== '"') continue;
    next.lastIndex = closingQuote(text, found.index + 1) + 1;
    pieces.push(convert(text.slice(found.index, next.lastIndex)));
  }
  return pieces.join("");
}

/** Reports whether writing a JSON body again changes the escape sequences of its strings. */
export function hasOtherEscapes(text: string): boolean {
  return text.includes("\\") && compactJson(text, rewritten) !== compactJson(text);
}

function rewritten(string: string): string {
  return string.includes("\\") ? JSON.stringify(JSON.parse(string)) : string;
}

/**
 * Returns the offset of the quotation mark that ends the JSON string whose content starts at
 * `from`, or the length of `text` if the string does not end. Does not use a regular expression,
 * because V8 throws a RangeError if the expression matches a string of several megabytes.
 */
export function closingQuote(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

/**
 * Returns an upper bound on the nesting depth of JSON text. The bound is not exact, because it also
 * counts brackets in strings.
 */
function depth(text: string): number {
  let [open, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}

/**
 * Parses the JSON body of a response and keeps every digit of its numbers. If the media type is not
 * JSON, parses the body only if it starts like an object or a list. Returns undefined for HTML, for
 * invalid JSON, and for bodies with an anti-hijacking prefix such as `)]}'`. `payload` is the JSON
 * text in a WebSocket message that has a frame, as in `RecordedResponse`.
 */
export function parseJsonResponse(text: string, mimeType: string, payload?: string): unknown {
  if (payload !== undefined) return parseExactJson(payload);
  if (mimeType.includes("html")) return undefined;
  const first = /[^\s\ufeff]/.exec(text.slice(0, 64))?.[0];
  if (first !== "{" && first !== "[" && !isJson(mimeType)) return undefined;
  try {
    return parseExactJson(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** The first syntax error in JSON text: its position and the reason. */
export interface JsonFault {
  /** Byte offset from the start of the text. */
  readonly offset: number;
  /** What was found and what was expected, such as `found "}", expected a value`. */
  readonly reason: string;
}

/** The byte order mark of UTF-8, with one character per byte. */
const MARK = "\u00ef\u00bb\u00bf";
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Finds the first syntax error in `bytes`, which should be one JSON value (RFC 8259). Returns
 * undefined if it is valid. Ignores a byte order mark. Slow but not recursive: use this function
 * only to find the error message after another parser has failed.
 */
export function findJsonFault(bytes: Uint8Array): JsonFault | undefined {
  // One character per byte, so that character offsets equal byte offsets.
  const text = new TextDecoder("iso-8859-1").decode(bytes);
  const open: string[] = [];
  let expected: "value" | "value or ]" | "name" | "name or }" | "colon" | "separator" = "value";
  let at = text.startsWith(MARK) ? MARK.length : 0;
  while (true) {
    while (SPACE.has(text.charCodeAt(at))) at++;
    const closer = open.at(-1);
    const char = text[at];
    if (expected === "separator" && closer === undefined) {
      return at === text.length ? undefined : fault(text, at, "nothing more");
    }
    if (expected === "colon") {
      if (char !== ":") return fault(text, at, "`:`");
      expected = "value";
      at++;
    } else if (char !== undefined && char === closer && mayClose(expected)) {
      open.pop();
      expected = "separator";
      at++;
    } else if (expected === "separator") {
      if (char !== ",") return fault(text, at, `\`,\` or \`${closer}\``);
      expected = closer === "}" ? "name" : "value";
      at++;
    } else if (expected === "name" || expected === "name or }") {
      if (char !== '"') return fault(text, at, "a name in double quotes");
      const end = stringEnd(text, at);
      if (typeof end !== "number") return end;
      expected = "colon";
      at = end;
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      expected = char === "{" ? "name or }" : "value or ]";
      at++;
    } else {
      const end = scalarEnd(text, at);
      if (typeof end !== "number") return end;
      expected = "separator";
      at = end;
    }
  }
}

function mayClose(expected: string): boolean {
  return expected === "separator" || expected === "value or ]" || expected === "name or }";
}

function scalarEnd(text: string, at: number): number | JsonFault {
  if (text[at] === '"') return stringEnd(text, at);
  return matchEnd(NUMBER, text, at) ?? matchEnd(WORD, text, at) ?? fault(text, at, "a value");
}

function stringEnd(text: string, from: number): number | JsonFault {
  let at = from + 1;
  while (text[at] !== '"') {
    if (at >= text.length) return { offset: at, reason: "the text ends within a string" };
    if (text[at] < " ") {
      return fault(text, at, "an escape, because a string cannot contain control characters");
    }
    const next = text[at] === "\\" ? matchEnd(ESCAPE, text, at) : at + 1;
    if (next === undefined) return fault(text, at, "an escape such as `\\n` or `\\u0041`");
    at = next;
  }
  return at + 1;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function fault(text: string, offset: number, expected: string): JsonFault {
  const found = offset >= text.length ? "the end" : `${JSON.stringify(text[offset])}`;
  return { offset, reason: `found ${found}, expected ${expected}` };
}
