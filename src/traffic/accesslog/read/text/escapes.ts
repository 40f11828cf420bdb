import * as ascii from "../../../../base/ascii.ts";

const { BACKSLASH, QUOTE } = ascii;
const HEX = new TextEncoder().encode("0123456789abcdef");
const SIMPLE = new Map(
  [["b", 8], ["f", 12], ["n", 10], ["r", 13], ["t", 9], ['"', 34], ["\\", 92], ["/", 47]]
    .map(([letter, byte]) => [String(letter).charCodeAt(0), Number(byte)]),
);
const encoder = new TextEncoder();

/**
 * Decodes the escapes of the JSON string content in `bytes[from, to)` and copies invalid escapes
 * unchanged. Writes to the beginning of `out` and returns the number of bytes written, which is at most
 * `to - from`.
 */
export function unescapeJson(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
): number {
  let length = 0;
  for (let i = from; i < to; i++) {
    const simple = bytes[i] === BACKSLASH && i + 1 < to ? SIMPLE.get(bytes[i + 1]) : undefined;
    if (simple !== undefined) {
      out[length++] = simple;
      i++;
      continue;
    }
    const text = bytes[i] === BACKSLASH ? unicode(bytes, i, to) : "";
    if (text === "") out[length++] = bytes[i];
    else {
      length += encoder.encodeInto(text, out.subarray(length)).written;
      i += text.length * 6 - 1;
    }
  }
  return length;
}

/**
 * Decodes the `\uXXXX` escape at `at`, or the surrogate pair of two such escapes. Returns an empty
 * string if there is no valid escape.
 */
function unicode(bytes: Uint8Array, at: number, to: number): string {
  const source = String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 12)));
  const found = /^\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?/.exec(source);
  if (found === null) return "";
  const first = parseInt(found[1], 16);
  const isPair = first >= 0xd800 && first <= 0xdbff && found[2] !== undefined;
  return String.fromCharCode(first, ...(isPair ? [parseInt(found[2], 16)] : []));
}

/**
 * Copies `bytes[from, to)` to offset `at` of `out` as nginx writes a quoted field: quotes, backslashes
 * and control characters become `\xHH`. Returns the end offset in `out`. The output is at most four
 * times as long as the input.
 */
export function escapeField(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): number {
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) out[at++] = byte;
    else {
      out[at++] = BACKSLASH;
      out[at++] = 0x78;
      out[at++] = HEX[byte >> 4];
      out[at++] = HEX[byte & 15];
    }
  }
  return at;
}
