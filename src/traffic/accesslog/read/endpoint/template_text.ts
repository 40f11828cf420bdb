import * as ascii from "../../../../base/ascii.ts";
import { writePercent } from "../text/escapes.ts";
import { decodePercent, isSessionParameter, isUnreserved } from "./path_normal.ts";

const { DOLLAR, OPEN_BRACE, QUESTION, SEMICOLON, SLASH } = ascii;

/**
 * Writes the recorded path in `bytes[from, to)`, up to its `?` if it has one, to the beginning of `out`
 * as plan text. Returns its length, which is at most three times that of the path.
 *
 * Equivalent paths get the same text: percent-encoded unreserved characters are decoded, other
 * encodings are in upper case, non-ASCII bytes are encoded, and `;jsessionid=…` is removed. `${` becomes
 * `$${`.
 */
export function writeTemplateText(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
): number {
  let length = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    const encoded = decodePercent(bytes, i, to);
    if (encoded >= 0 && isUnreserved(encoded)) out[length++] = encoded;
    else if (encoded >= 0 || byte >= 0x80) {
      length = writePercent(encoded >= 0 ? encoded : byte, out, length);
    } else if (byte === SEMICOLON && isSessionParameter(bytes.subarray(0, to), i)) {
      i++;
      while (i < to && bytes[i] !== SLASH && bytes[i] !== SEMICOLON && bytes[i] !== QUESTION) i++;
      i--;
    } else {
      if (byte === DOLLAR && i + 1 < to && bytes[i + 1] === OPEN_BRACE) out[length++] = DOLLAR;
      out[length++] = byte;
      if (byte === QUESTION) return length;
    }
    if (encoded >= 0) i += 2;
  }
  return length;
}
