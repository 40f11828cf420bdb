/**
 * Returns a mask of the escaped bytes among 16 bytes. A byte is escaped if it follows a backslash
 * that is not itself escaped. `backslashes` is the mask of the backslashes. `carry` is 1 if the
 * first byte is escaped. Bit 16 of the result is 1 if the byte after the 16 bytes is escaped.
 */
export function escapedBits(backslashes: i32, carry: i32): i32 {
  if (backslashes === 0) return carry;
  let starts = backslashes & ~carry;
  const followers = starts << 1;
  // Usually, no backslash follows another one.
  if ((followers & backslashes & 0xffff) === 0) return followers | carry;
  let escaped = carry;
  while (starts !== 0) {
    const follower = (starts & -starts) << 1;
    escaped |= follower;
    starts &= ~(follower | follower >> 1);
  }
  return escaped;
}

/** Returns a vector of 16 bytes. Byte i is 0xff if bit i of `bits` is 1, otherwise 0. */
export function lanes(bits: i32): v128 {
  const halves = i8x16.shuffle(
    i16x8.splat(<i16> bits),
    i16x8.splat(<i16> bits),
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
  );
  const one = i64x2.splat(0x8040201008040201);
  return i8x16.eq(v128.and(halves, one), one);
}
