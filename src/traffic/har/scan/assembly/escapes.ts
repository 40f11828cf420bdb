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
