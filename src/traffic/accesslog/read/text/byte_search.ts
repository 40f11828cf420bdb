import * as ascii from "../../../../base/ascii.ts";

// These functions compare four bytes at a time, so they read up to three bytes past the range (see
// `SLACK`). `x` is a word XORed with four copies of the byte to find, so a match becomes a zero
// byte. The lowest set bit of `(x - 0x01010101) & ~x & 0x80808080` is the high bit of the first
// zero byte. `| 0` makes the offsets integers. Otherwise, V8 would keep tagged values in the loop.

/**
 * Returns the offset of the first byte in `[from, to)` that equals `byte`, or `to` if no byte does.
 */
export function indexOfByte(
  view: DataView,
  from: number,
  to: number,
  byte: number,
): number {
  const four = Math.imul(byte, 0x01010101);
  const end = to | 0;
  for (let i = from | 0; i < end; i += 4) {
    const x = view.getInt32(i, true) ^ four;
    const found = (x - 0x01010101) & ~x & 0x80808080;
    if (found !== 0) return Math.min(end, i + ((31 - Math.clz32(found & -found)) >> 3));
  }
  return end;
}

/**
 * Returns the offset of the first byte in `[from, to)` that equals `byte` or `other`, or `to` if
 * neither occurs.
 */
export function indexOfEither(
  view: DataView,
  from: number,
  to: number,
  byte: number,
  other: number,
): number {
  const four = Math.imul(byte, 0x01010101);
  const others = Math.imul(other, 0x01010101);
  const end = to | 0;
  for (let i = from | 0; i < end; i += 4) {
    const word = view.getInt32(i, true);
    const x = word ^ four;
    const y = word ^ others;
    const found = ((x - 0x01010101) & ~x | (y - 0x01010101) & ~y) & 0x80808080;
    if (found !== 0) return Math.min(end, i + ((31 - Math.clz32(found & -found)) >> 3));
  }
  return end;
}

const { LF } = ascii;
/**
 * Maximum length of a log line in bytes (1 MiB), without its line ending. A longer line is
 * malformed.
 */
export const MAX_LINE_BYTES = 1 << 20;

/**
 * Number of bytes after the last line that must be readable, so that reads of whole words need no
 * bounds checks.
 */
export const SLACK = 32;

/**
 * Mask for bit 5 of each byte in a word. Printable ASCII characters have bit 5 or bit 6 set. The
 * control characters 0 to 31 have neither.
 */
const PRINTABLE = 0x20202020;

/**
 * Returns the offset of the first LF at or after `from`. There must be an LF, and 15 bytes after it
 * must be readable.
 */
export function findLineEnd(bytes: Uint8Array, view: DataView, from: number): number {
  for (let i = from | 0;; i += 16) {
    const a = view.getInt32(i, true);
    const b = view.getInt32(i + 4, true);
    const c = view.getInt32(i + 8, true);
    const d = view.getInt32(i + 12, true);
    const printable = (a | a >>> 1) & (b | b >>> 1) & (c | c >>> 1) & (d | d >>> 1);
    if ((printable & PRINTABLE) === PRINTABLE) continue;
    for (let at = i; at < i + 16; at++) if (bytes[at] === LF) return at;
  }
}
