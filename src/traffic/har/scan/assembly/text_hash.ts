const FACTOR: u64 = 0x9e3779b97f4a7c15;

/**
 * Hashes the text at `[from, to)` to 64 bits, of which the high bits are the best distributed. Uses
 * only the length of the text and at most 24 of its bytes. Equal strings have equal hashes.
 */
export function wideHash(from: i32, to: i32): u64 {
  const length = to - from;
  let hash: u64;
  if (length >= 8) {
    const middle = from + (length >> 1) - 4;
    hash = load<u64>(from) ^ rotl<u64>(load<u64>(middle), 23) ^ rotl<u64>(load<u64>(to - 8), 41);
  } else {
    hash = load<u64>(from) & ((<u64> 1 << (length << 3)) - 1);
  }
  hash = (hash ^ (<u64> length << 56)) * FACTOR;
  return hash ^ (hash << 29);
}

/**
 * Hashes the length and the first 8 bytes of the text at `[from, to)` to 64 bits, of which the high
 * bits are the best distributed. Has no branches, because the lengths of tokens vary.
 */
export function startHash(from: i32, to: i32): u64 {
  const length = to - from;
  const kept = select<u64>(-1, (<u64> 1 << (length << 3)) - 1, length >= 8);
  return ((load<u64>(from) & kept) ^ (<u64> length << 56)) * FACTOR;
}

/** Hashes the text at `[from, to)` to `bits` bits. */
export function textHash(from: i32, to: i32, bits: i32): i32 {
  return <i32> (wideHash(from, to) >> (64 - bits));
}

/**
 * Sets the bit of the string at `[from, to)` in the bitmap of 2 ** `bits` bits at address `bitmap`.
 */
export function setBit(bitmap: i32, from: i32, to: i32, bits: i32): void {
  const hash = textHash(from, to, bits);
  const at = bitmap + (hash >> 3);
  store<u8>(at, load<u8>(at) | <u8> 1 << <u8> (hash & 7));
}

/**
 * Reports whether the bit of the string at `[from, to)` is set in the bitmap of 2 ** `bits` bits at
 * address `bitmap`.
 */
export function isSet(bitmap: i32, from: i32, to: i32, bits: i32): bool {
  const hash = textHash(from, to, bits);
  return (load<u8>(bitmap + (hash >> 3)) >> (hash & 7) & 1) !== 0;
}
