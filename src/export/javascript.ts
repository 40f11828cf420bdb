import { ExactNumber } from "../base/exact_number.ts";

/** Maximum length of an object, a list or a call that is written on one line, in characters. */
const MAX_WIDTH = 84;

/** A member of an object literal: its key and the code for its value. */
export type Member = readonly [key: string, code: string];

/** Indents each line of a piece of code. Literals in the code must not contain line breaks. */
export function indent(code: string): string {
  return code.replace(/^(?=.)/gm, "  ");
}

/** Returns the code for an object, on one line if it fits. */
export function objectCode(entries: readonly Member[]): string {
  const members = entries.map(([key, code]) =>
    key === code && isName(key) ? key : `${objectKey(key)}: ${code}`
  );
  return enclosed("{", members, "}", " ");
}

/** Returns the code for a list. Short items share lines. */
export function listCode(items: readonly string[]): string {
  const isShort = items.length > 10 && items.every((item) => item.length <= 8);
  if (!isShort) return enclosed("[", items, "]");
  const lines = items.join(", ").replace(/(.{60,80},) /g, "$1\n");
  return `[\n${indent(lines)},\n]`;
}

/**
 * Returns the code for a call. If only the last argument has several lines, it starts on the line
 * of the callee.
 */
export function callCode(callee: string, args: readonly string[]): string {
  const start = `${callee}(${args.join(", ")}`.split("\n", 1)[0];
  const hugs = /[[{(]$/.test(start) && start.length <= MAX_WIDTH &&
    !args.slice(0, -1).some((arg) => arg.includes("\n"));
  return hugs ? `${callee}(${args.join(", ")})` : enclosed(`${callee}(`, args, ")");
}

/** Returns a block: `head {`, the indented body, and `}`. */
export function blockCode(head: string, body: string): string {
  return body === "" ? `${head} {}` : `${head} {\n${indent(body)}\n}`;
}

function enclosed(open: string, items: readonly string[], close: string, space = ""): string {
  if (items.length === 0) return open + close;
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length <= MAX_WIDTH && !line.includes("\n")) return line;
  return `${open}\n${indent(items.map((item) => `${item},`).join("\n"))}\n${close}`;
}

/** Returns the code for a duration in milliseconds as k6 writes it: `"1m30s"`, `"250ms"`. */
export function durationCode(ms: number): string {
  const whole = Math.floor(ms / 1_000);
  const parts: [number, string][] = [
    [Math.floor(whole / 3_600), "h"],
    [Math.floor(whole / 60) % 60, "m"],
    [whole % 60, "s"],
    [Number((ms - whole * 1_000).toFixed(6)), "ms"],
  ];
  return `"${parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}${unit}`).join("") || "0s"}"`;
}

/**
 * Characters that a literal escapes: control and format characters, line and paragraph separators,
 * lone surrogates, unassigned characters, and spaces other than U+0020. Also `<` if it starts text
 * that can end or change a script in HTML, such as `</script`.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|<(?=[/!sS?])/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Returns a JavaScript string literal for `text`. Recorded text enters a script only through this
 * function and the others in this file.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { stringLiteral } from "./javascript.ts";
 *
 * assertEquals(stringLiteral('a "b" </script>'), '"a \\"b\\" \\x3c/script>"');
 * ```
 */
export function stringLiteral(text: string): string {
  return `"${escapeText(text, /[\\"]/g)}"`;
}

/** Escapes `text` for use in a template literal. Does not add the enclosing backticks. */
export function templateText(text: string): string {
  return escapeText(text, /[\\`]|\$(?=\{)|\$$/g);
}

function escapeText(text: string, special: RegExp): string {
  return text.replace(special, "\\$&").replace(UNSAFE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return SHORT[character] ?? Array.from({ length: character.length }, (_, i) => {
    const digits = character.charCodeAt(i).toString(16);
    return digits.length < 3 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
  }).join("");
}

/** Matches names that need no quotes as the key of an object or after a dot. */
const NAME = /^[A-Za-z_$][\w$]*$/;

/** Returns the code for a key in an object literal. `__proto__` would set the prototype. */
export function objectKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return NAME.test(name) ? name : stringLiteral(name);
}

/** Returns the code that reads a member of `object`, which may end with `?`. */
export function memberOf(object: string, name: string): string {
  if (NAME.test(name)) return `${object}.${name}`;
  return `${object}${object.endsWith("?") ? "." : ""}[${stringLiteral(name)}]`;
}

/**
 * Matches regular expressions that can be written as a literal between slashes: printable ASCII
 * without slashes or backticks, so that nothing in the expression can end the literal.
 */
const PLAIN_PATTERN = /^(?![*+?])(?:[\w \-=:;,.<>()[\]{}+*?|^$&%#!@~'"]|\\[\w\-.()[\]{}+*?|^$])+$/;

/** Returns the code for a regular expression. */
export function patternLiteral(pattern: string, flags: "" | "g" = ""): string {
  if (PLAIN_PATTERN.test(pattern) && !/<[!sS?]/.test(pattern)) return `/${pattern}/${flags}`;
  return `new RegExp(${stringLiteral(pattern)}${flags && `, "${flags}"`})`;
}

/**
 * Returns the code for a string, number, boolean or null. A number becomes a string if JavaScript
 * would print it with different digits.
 */
export function scalarLiteral(value: unknown): string {
  if (typeof value === "string") return stringLiteral(value);
  if (value instanceof ExactNumber) return stringLiteral(value.text);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Returns the code for a JSON value without templates. */
export function dataCode(value: unknown): string {
  if (Array.isArray(value)) return listCode(value.map(dataCode));
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return scalarLiteral(value);
  }
  return objectCode(Object.entries(value).map(([key, item]) => [key, dataCode(item)]));
}

/** Returns the code that decodes Base64 text to an ArrayBuffer. k6 requires padding. */
export function base64Code(text: string): string {
  return `b64decode(${stringLiteral(Uint8Array.fromBase64(text).toBase64())})`;
}

/** Maximum length of the text in a comment, in UTF-16 code units. */
const MAX_COMMENT = 300;

/** Converts text to one line without control characters, for a comment. Shortens long text. */
export function commentText(text: string): string {
  const line = text.replace(UNSAFE, (found) => found === "<" ? "< " : " ").replace(/\s+/g, " ");
  return line.length > MAX_COMMENT ? `${line.slice(0, MAX_COMMENT).toWellFormed()}…` : line.trim();
}

/** Words that cannot be variable names in a module, and names of the global scope. */
const RESERVED = "arguments async await break case catch class const continue debugger default " +
  "delete do else enum eval export extends false finally for function if implements import in " +
  "instanceof interface let new null of package private protected public return static super " +
  "switch this throw true try typeof undefined var void while with yield Array ArrayBuffer Date " +
  "Error Infinity JSON Math NaN Number Object Promise RegExp Set String Symbol Uint8Array __ENV " +
  "__ITER __VU clearTimeout console crypto decodeURIComponent encodeURIComponent globalThis open " +
  "setTimeout";
const NO_NAMES: ReadonlySet<string> = new Set(RESERVED.split(" "));

function isName(text: string): boolean {
  return NAME.test(text) && !NO_NAMES.has(text);
}

/** Assigns variable names that are unique in a script. */
export class Names {
  readonly #taken: Set<string>;

  /** Creates a set of names. Names in `taken` are never assigned. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /**
   * Returns an unused name that resembles `text`, such as `logIn` for `log in`. If `text` has no
   * letters, the name resembles `fallback`.
   */
  take(text: string, fallback: string): string {
    const words = text.replace(/[^A-Za-z0-9_$]+/g, " ").trim().slice(0, 60).split(" ");
    const camel = words.map((word, i) => i === 0 ? word : word[0].toUpperCase() + word.slice(1));
    const joined = camel.join("");
    const name = /[A-Za-z]/.test(joined) ? joined.replace(/^(?=\d)/, "_") : fallback;
    for (let i = 1;; i++) {
      const candidate = i === 1 ? name : `${name}${/\d$/.test(name) ? "_" : ""}${i}`;
      if (!isName(candidate) || this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return candidate;
    }
  }
}
