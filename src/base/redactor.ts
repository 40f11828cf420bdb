/** Returns `text` with asterisks in place of each secret. */
export type Redactor = (text: string) => string;

/** Replacement for a secret. */
const HIDDEN = "********";

/**
 * Minimum length, in bytes, of secrets whose base64 and hex forms are hidden as well. The encoded
 * form of a shorter secret would often match other text.
 */
const SHORTEST_ENCODED = 4;

/**
 * Creates a function that replaces the given secrets in a string with asterisks, ignoring letter
 * case. It also finds secrets that are escaped as in URLs, forms, JSON, JavaScript or HTML. If a
 * secret has at least 4 bytes, it also finds the hex and base64 forms of the secret.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { hiding } from "./redactor.ts";
 *
 * const redact = hiding(["s3cret!"]);
 * assertEquals(redact("password=s3cret%21"), "password=********");
 * assertEquals(redact(`Basic ${btoa("user:s3cret!")}`), "Basic dXNlcjp********");
 * ```
 */
export function hiding(secrets: Iterable<string>): Redactor {
  const values = [...secrets].flatMap((secret) => [secret, secret.trim()])
    .map((value) => value.toWellFormed()).filter((value) => value.trim() !== "");
  const longestFirst = [...new Set(values)].sort((a, b) => b.length - a.length);
  const patterns = longestFirst.map((value) => new RegExp(formsPattern(value), "gi"));
  return (text) => patterns.reduce((all, pattern) => all.replace(pattern, HIDDEN), text);
}

/**
 * Returns a regular expression source that matches a secret in its raw, escaped and encoded forms.
 */
function formsPattern(secret: string): string {
  const bytes = new TextEncoder().encode(secret);
  const whole = bytes.length < SHORTEST_ENCODED
    ? []
    : [...base64Parts(bytes).map(RegExp.escape), bytes.toHex()];
  const characters = secret.match(/\\+|[^\\]/gu) ?? [];
  return [characters.map(characterPattern).join(""), ...whole].join("|");
}

/**
 * Returns a pattern that matches a character in its raw and escaped forms. `character` may also be
 * a run of backslashes.
 */
function characterPattern(character: string): string {
  // One quantifier for the whole run, because one for each backslash would backtrack exponentially.
  if (character.startsWith("\\")) {
    return `(?:\\\\|%5c|&#92;|&#x5c;){${character.length},${character.length * 8}}`;
  }
  const code = character.codePointAt(0)!;
  const utf8 = [...new TextEncoder().encode(character)];
  const units = Array.from({ length: character.length }, (_, i) => hex(character.charCodeAt(i), 4));
  const forms = [
    // Nested JSON can have several backslashes before a character.
    `\\\\{0,7}${RegExp.escape(character)}`,
    utf8.map((byte) => `%${hex(byte, 2)}`).join(""),
    `&#0{0,6}${code};`,
    `&#x0{0,5}${code.toString(16)};`,
    units.map((unit) => `\\\\{1,7}u${unit}`).join(""),
    ...(code <= 0xff ? [`\\\\{1,7}x${hex(code, 2)}`] : []),
    ...(NAMED[character] ?? []),
  ];
  return `(?:${forms.join("|")})`;
}

/** Patterns that match special escape sequences, such as `&amp;` for `&`, keyed by character. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  " ": ["\\+", "&nbsp;"],
  "&": ["&amp;"],
  "<": ["&lt;"],
  ">": ["&gt;"],
  '"': ["&quot;"],
  "'": ["&apos;"],
  "\b": ["\\\\{1,7}b"],
  "\f": ["\\\\{1,7}f"],
  "\n": ["\\\\{1,7}n"],
  "\r": ["\\\\{1,7}r"],
  "\t": ["\\\\{1,7}t"],
};

/**
 * Encodes bytes in base64 at each of their three possible alignments within a longer string, such
 * as `user:secret`. Omits the characters at either end that also depend on neighboring bytes.
 */
function base64Parts(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const text = padded.toBase64({ omitPadding: true });
    const start = Math.ceil(before * 8 / 6);
    const part = text.slice(start, Math.floor(padded.length * 8 / 6));
    return [part, part.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
