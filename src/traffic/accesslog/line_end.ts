const LF = 0x0a;
/** Bits that a printable ASCII character has one of: 5 and, moved there, 6. */
const PRINTABLE = 0x20202020;

/** Where the next LF at or behind `from` stands; there is one, and 15 bytes more can be read. */
export function lineEnd(bytes: Uint8Array, view: DataView, from: number): number {
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
