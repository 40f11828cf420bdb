import * as ascii from "../../../../base/ascii.ts";

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
