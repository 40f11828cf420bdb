import { UNSAFE } from "../base/safe_text.ts";

// What no reader of YAML 1.1 or 1.2 takes for anything but this very text, in block style.
const PLAIN = /^[A-Za-z/$](?:[\w./${}()[\]=?&%+,;@~*!<>|^'-]|:(?=[\w/])| (?=[\w./$(<>=+]))*$/;
// `e1`: a reader of YAML 1.1 takes it for a number without its digits.
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

/** Text as a YAML scalar: bare where every reader agrees on it, otherwise in double quotes. */
export function yamlText(text: string): string {
  const bare = text.length <= 1_000 && (PLAIN.test(text) && !WORD.test(text) ||
    PLAIN_DURATION.test(text));
  return bare ? text : quoted(text);
}

/** Text in double quotes, everything that a terminal or a reader could take amiss escaped. */
export function quoted(text: string): string {
  if (PLAIN_ASCII.test(text)) return `"${text}"`;
  // Properties of characters take long to look up: most text needs none.
  return `"${text.replace(ASCII.test(text) ? ESCAPED_ASCII : ESCAPED, escape)}"`;
}

function escape(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (character in SHORT) return SHORT[character];
  if (code <= 0xff) return "\\x" + hex.padStart(2, "0");
  return code <= 0xffff ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
}

/** A number that YAML 1.1 and 1.2 read back as the same double. */
export function yamlNumber(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  if (Object.is(value, -0)) return "-0.0";
  // YAML 1.1 takes 1e+21 for text: it wants a decimal point before an exponent.
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}
