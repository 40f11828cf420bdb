// Four bytes at a time, so that up to three more than asked for are read (see `SLACK`). Of `x`, a word
// with the byte looked for taken out by `^`, the lowest bit of `(x - 0x01010101) & ~x & 0x80808080` is
// the high bit of its first zero byte. Numbers are made integers first (`| 0`), as V8 would else carry
// them through the loop as values of any kind.

/** Where the first `byte` from `from` on stands; `to` if none stands before. */
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

/** The same for the first of two bytes, whichever it is. */
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
