const LF = 0x0a;

/** Where the next LF at or behind `from` stands; there is one before `to`. Eight bytes at a time. */
export function lineEnd(bytes: Uint8Array, view: DataView, from: number, to: number): number {
  let i = from;
  for (const last = to - 8; i <= last; i += 8) {
    const a = view.getInt32(i, true) ^ 0x0a0a0a0a;
    const b = view.getInt32(i + 4, true) ^ 0x0a0a0a0a;
    // The high bit of a byte stays set only where the byte, or one below it, was LF.
    if (((((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b)) & 0x80808080) !== 0) break;
  }
  while (bytes[i] !== LF) i++;
  return i;
}
