import * as ascii from "../../../../base/ascii.ts";
import { hexByte } from "../text/escapes.ts";

const { PERCENT, SEMICOLON } = ascii;
const LOWER_CASE = 0x20;
const SESSION = new TextEncoder().encode(";jsessionid=");
/** 1 for each unreserved character (RFC 3986, section 2.3). */
const UNRESERVED = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Decodes the percent-encoding at `at`; returns -1 if there is no complete one before `to`. */
export function decodePercent(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] !== PERCENT || at + 2 >= to) return -1;
  return hexByte(bytes[at + 1], bytes[at + 2]);
}

/** Reports whether a byte is unreserved: it means the same in a URL with and without encoding. */
export function isUnreserved(byte: number): boolean {
  return UNRESERVED[byte] === 1;
}

/** Reports whether `;jsessionid=`, in any case, is at `at`. */
export function isSessionParameter(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < SESSION.length; i++) {
    const byte = bytes[at + i];
    const isUpper = byte >= 0x41 && byte <= 0x5a;
    if ((isUpper ? byte | LOWER_CASE : byte) !== SESSION[i]) return false;
  }
  return true;
}

/**
 * Reports whether the ASCII path in `bytes[from, to)` is its own normal form: no percent-encoding in
 * lower case or of an unreserved character, and no `;jsessionid=`.
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
