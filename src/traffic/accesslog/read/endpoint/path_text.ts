import * as ascii from "../../../../base/ascii.ts";
import { hexByte, writePercent } from "../text/escapes.ts";

const { DOLLAR, HASH, OPEN_BRACE, PERCENT, QUESTION, SEMICOLON, SLASH } = ascii;
const LOWER_CASE = 0x20;
const SESSION = new TextEncoder().encode(";jsessionid=");
/** Lookup table by byte value: 1 for unreserved characters (RFC 3986, section 2.3). */
const UNRESERVED = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Writes the recorded path in `bytes[from, to)` to the beginning of `out`, escaped for a plan. If
 * the path contains a `?`, stops after writing the `?`. If it contains a `#`, stops before writing
 * the `#`, because the rest is a fragment, which clients must not send. Returns the number of bytes
 * written, which is at most three times the length of the path.
 *
 * Equivalent paths produce the same text: percent-encoded unreserved characters are decoded, other
 * percent-encodings are written in upper case, non-ASCII bytes are percent-encoded, and
 * `;jsessionid=…` is removed. `${` becomes `$${`.
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
    if (byte === HASH) return length;
    const encoded = decodePercent(bytes, i, to);
    if (encoded >= 0 && isUnreserved(encoded)) out[length++] = encoded;
    else if (encoded >= 0 || byte >= 0x80) {
      length = writePercent(encoded >= 0 ? encoded : byte, out, length);
    } else if (byte === SEMICOLON && isSessionParameter(bytes.subarray(0, to), i)) {
      i++;
      while (
        i < to && bytes[i] !== SLASH && bytes[i] !== SEMICOLON && bytes[i] !== QUESTION &&
        bytes[i] !== HASH
      ) i++;
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

/**
 * Reports whether the ASCII path in `bytes[from, to)` is in normal form: it contains no lower-case
 * percent-encoding, no percent-encoded unreserved character and no `;jsessionid=`.
 */
export function isNormalPath(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    if (bytes[i] === SEMICOLON && isSessionParameter(bytes, i)) return false;
    const byte = decodePercent(bytes, i, to);
    if (byte < 0) continue;
    const isLower = bytes[i + 1] >= 0x61 || bytes[i + 2] >= 0x61;
    if (isLower || isUnreserved(byte)) return false;
  }
  return true;
}

/**
 * Decodes the percent-encoded byte at `at` and returns it, or -1 if there is no complete
 * percent-encoding before `to`.
 */
function decodePercent(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] !== PERCENT || at + 2 >= to) return -1;
  return hexByte(bytes[at + 1], bytes[at + 2]);
}

/**
 * Reports whether a byte is an unreserved character, which has the same meaning in a URL whether or
 * not it is percent-encoded.
 */
function isUnreserved(byte: number): boolean {
  return UNRESERVED[byte] === 1;
}

/** Reports whether `;jsessionid=`, in any letter case, is at `at`. */
function isSessionParameter(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < SESSION.length; i++) {
    const byte = bytes[at + i];
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    if ((isUpper ? byte | LOWER_CASE : byte) !== SESSION[i]) return false;
  }
  return true;
}
