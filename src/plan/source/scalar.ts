import { UNSAFE } from "../../base/safe_text.ts";

// Matches text that every YAML 1.1 and 1.2 parser reads unchanged without quotes in block style.
const PLAIN = /^[A-Za-z/$](?:[\w./${}()[\]=?&%+,;@~*!<>|^'-]|:(?=[\w/])| (?=[\w./$(<>=+]))*$/;
// YAML 1.1 parsers read text such as `e1` as a number without leading digits.
const WORD =
  /^(?:y|n|yes|no|on|off|true|false|null|nil|none|nan|inf|infinity|undefined|e[-+]?\d+)$/i;
const PLAIN_DURATION = /^(?:[1-9]\d*|0)(?:ms|s|m|h)$/;
const PLAIN_ASCII = /^[ !#-[\]-~]*$/;
const ASCII = /^[\0-\x7f]*$/;
// deno-lint-ignore no-control-regex
const ESCAPED_ASCII = /["\\\0-\x1f\x7f]/g;
const ESCAPED = new RegExp(`["\\\\]|${UNSAFE.source}`, "gu");
const SHORT: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\0": "\\0",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\x1b": "\\e",
};

/**
 * Formats text as a YAML scalar. Uses plain style if all YAML parsers read it as the same text,
 * otherwise double quotes.
 */
export function yamlText(text: string): string {
  const bare = text.length <= 1_000 && (PLAIN.test(text) && !WORD.test(text) ||
    PLAIN_DURATION.test(text));
  return bare ? text : quoted(text);
}

/**
 * Returns text in double quotes. Escapes control characters and characters that some YAML parsers
 * do not accept.
 */
export function quoted(text: string): string {
  if (PLAIN_ASCII.test(text)) return `"${text}"`;
  // Matching Unicode properties is slow, and ASCII text does not need it.
  return `"${text.replace(ASCII.test(text) ? ESCAPED_ASCII : ESCAPED, escape)}"`;
}

function escape(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (character in SHORT) return SHORT[character];
  if (code <= 0xff) return "\\x" + hex.padStart(2, "0");
  return code <= 0xffff ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
}

/** Formats a number so that YAML 1.1 and 1.2 parsers read it as the same number. */
export function yamlNumber(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  if (Object.is(value, -0)) return "-0.0";
  // YAML 1.1 reads `1e+21` as text, because it requires a decimal point before an exponent.
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}
