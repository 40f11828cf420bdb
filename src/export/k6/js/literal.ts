import { ExactNumber } from "../../../base/exact_number.ts";

/**
 * Characters that a literal escapes: control and format characters, line and paragraph separators,
 * lone surrogates, unassigned characters, and spaces other than U+0020. Also `<` if it starts text
 * that can end or change a script in HTML, such as `</script`.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|<(?=[/!sS?])/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Returns a JavaScript string literal in single quotes that evaluates to `text`. Recorded text
 * enters a script only through this function and the others in this file.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { stringLiteral } from "./literal.ts";
 *
 * assertEquals(stringLiteral("it's </script>"), "'it\\'s \\x3c/script>'");
 * ```
 */
export function stringLiteral(text: string): string {
  return `'${escapeText(text, /[\\']/g)}'`;
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
    const code = character.charCodeAt(i);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("");
}

/** Matches names that need no quotes as the key of an object or after a dot. */
const NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * Returns the code for a key in an object literal. The key `__proto__`, which would set the
 * prototype, becomes a computed key.
 */
export function objectKey(name: string): string {
  if (name === "__proto__") return "['__proto__']";
  return NAME.test(name) ? name : stringLiteral(name);
}

/**
 * Returns JavaScript code that reads the member `name` of `object`: `object.name` or
 * `object['name']`.
 */
export function memberOf(object: string, name: string): string {
  return NAME.test(name) ? `${object}.${name}` : `${object}[${stringLiteral(name)}]`;
}

/**
 * Matches regular expressions that can be written as a literal between slashes: printable ASCII
 * without slashes or backticks, so that nothing in the expression can end the literal.
 */
const PLAIN_PATTERN = /^(?![*+?])(?:[\w \-=:;,.<>()[\]{}+*?|^$&%#!@~'"]|\\[\w\-.()[\]{}+*?|^$])+$/;

/**
 * Returns the JavaScript code for a regular expression with this pattern. The only supported flag
 * is `g`.
 */
export function patternLiteral(pattern: string, flags: "" | "g" = ""): string {
  if (PLAIN_PATTERN.test(pattern) && !/<[!sS?]/.test(pattern)) return `/${pattern}/${flags}`;
  const more = flags === "" ? "" : `, '${flags}'`;
  return `new RegExp(${stringLiteral(pattern)}${more})`;
}

/**
 * Reports whether JavaScript prints a number with the same digits as the plan. Returns false for
 * integers beyond 2^53 and for numbers such as 1.10.
 */
export function isExact(value: unknown): boolean {
  return !(value instanceof ExactNumber);
}

/**
 * Returns the JavaScript code for a string, number, boolean or null. A number becomes a string if
 * JavaScript would print it with different digits.
 */
export function scalarLiteral(value: unknown): string {
  if (typeof value === "string") return stringLiteral(value);
  if (value instanceof ExactNumber) return stringLiteral(value.text);
  if (Object.is(value, -0)) return "-0";
  return String(value);
}

/**
 * Returns a string literal that contains the Base64 text `text`. Adds missing padding and removes
 * spaces, as `b64decode` requires.
 */
export function base64Literal(text: string): string {
  return stringLiteral(Uint8Array.fromBase64(text).toBase64());
}

/** Maximum length of the text in a comment, in UTF-16 code units. */
const MAX_COMMENT = 300;

/**
 * Converts `text` to a single line without control characters, for a comment that starts with two
 * slashes. Shortens long text.
 */
export function commentText(text: string): string {
  const line = text.replace(UNSAFE, (found) => found === "<" ? "< " : " ").replace(/\s+/g, " ");
  return line.length > MAX_COMMENT ? `${line.slice(0, MAX_COMMENT).toWellFormed()}…` : line.trim();
}
