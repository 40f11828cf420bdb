// The rule that decides which path segments are ids. The line counter applies the same rule,
// because scripts/assembly.ts generates its tables and constants from this file.

import { MIN_HEX_DIGITS, UUID_DASHES, UUID_LENGTH } from "../../../id_shape.ts";

/** Placeholder that replaces each id in a route. */
export const ID_PLACEHOLDER = "${vars.id}";

/** Bit in `SEGMENT_CLASS` that marks bytes that never occur in an id. */
export const NO_ID = 8;
const DIGIT = 1;
const HEX_LETTER = 2;
const DASH = 4;

/**
 * Class of each byte value. The class of a path segment is the bitwise OR of the classes of its
 * bytes.
 */
export const SEGMENT_CLASS: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (/[0-9]/.test(char)) return DIGIT;
  if (/[A-Fa-f]/.test(char)) return HEX_LETTER;
  return char === "-" ? DASH : NO_ID;
});

/**
 * Reports whether the path segment `bytes[from, to)` is an id: all digits, a UUID, or at least 16
 * hex digits. `classes` is the bitwise OR of the classes of its bytes.
 */
export function isId(bytes: Uint8Array, from: number, to: number, classes: number): boolean {
  if (classes === 0 || classes >= NO_ID) return false;
  if (classes === DIGIT) return true;
  const length = to - from;
  if ((classes & DASH) === 0) return length >= MIN_HEX_DIGITS;
  return length === UUID_LENGTH && isUuid(bytes, from);
}

/**
 * Reports whether the 36 bytes that start at `from`, which must be hex digits and dashes, have
 * dashes exactly where a UUID has them.
 */
function isUuid(bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < UUID_LENGTH; i++) {
    const isDash = SEGMENT_CLASS[bytes[from + i]] === DASH;
    if (isDash !== UUID_DASHES.includes(i)) return false;
  }
  return true;
}
