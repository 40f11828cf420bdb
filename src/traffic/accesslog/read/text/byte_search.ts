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
