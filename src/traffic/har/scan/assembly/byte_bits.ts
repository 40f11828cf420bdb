// Bitmaps of the text to search, with a bit for each byte. They are filled in one pass without
// branches, so that finding the end of a string or a token takes only a few instructions.
import { SLACK } from "../addresses";

/** Number of bytes from an address for which `stopBits` and `tokenBits` return the bits. */
export const WINDOW: i32 = 56;

/**
 * Constants of `fillBits`. In memory, because V8 would load a constant again at each use.
 * bench: scripts/bench/har.ts, -8 % of the time to search JSON bodies.
 */
const CONSTANTS = memory.data<u8>([
  0x02,
  0x20,
  0x5c,
  0x7f - 0x7a,
  0x7f - 26,
  0x7f - 0x39,
  0x7f - 10,
]);

/** Address of the bit of address 0 in the bitmap of string ends, divided by 8. */
let stops: i32 = 0;
/** The same for the bitmap of tokens. */
let tokens: i32 = 0;

/**
 * Fills the bitmaps for the text at `[from, to]`. They follow the text, and take a quarter of its
 * length and at most 32 bytes more. `from` is a multiple of 8.
 */
export function fillBits(from: i32, to: i32): void {
  const size = (to - from >> 6) + 2 << 3;
  stops = ((to + SLACK) & -8) - (from >>> 3);
  tokens = stops + size;
  // This exclusive or moves the quotation mark to 0x20, and no other character to 0x20 or below.
  const quote = v128.load8_splat(CONSTANTS);
  const space = v128.load8_splat(CONSTANTS + 1);
  const backslash = v128.load8_splat(CONSTANTS + 2);
  // These sums move the last letter and the last digit to the largest signed number.
  const letter = v128.load8_splat(CONSTANTS + 3);
  const beforeLetters = v128.load8_splat(CONSTANTS + 4);
  const digit = v128.load8_splat(CONSTANTS + 5);
  const beforeDigits = v128.load8_splat(CONSTANTS + 6);
  for (let at = from; at <= to; at += 64) {
    let stop: u64 = 0;
    let token: u64 = 0;
    for (let i = 0; i < 64; i += 16) {
      const bytes = v128.load(at + i);
      const controls = i8x16.le_u(v128.xor(bytes, quote), space);
      const letters = i8x16.gt_s(i8x16.add(v128.or(bytes, space), letter), beforeLetters);
      const digits = i8x16.gt_s(i8x16.add(bytes, digit), beforeDigits);
      stop |= <u64> i8x16.bitmask(v128.or(controls, i8x16.eq(bytes, backslash))) << i;
      token |= <u64> i8x16.bitmask(v128.or(v128.or(letters, digits), bytes)) << i;
    }
    const word = stops + (at >>> 3);
    store<u64>(word, stop);
    store<u64>(word + size, token);
  }
}

/**
 * Returns a bit for each of the `WINDOW` bytes from address `at`, lowest first: 1 for a quotation
 * mark, a backslash or a control character. The higher bits are undefined.
 */
export function stopBits(at: i32): u64 {
  return load<u64>(stops + (at >>> 3)) >> (at & 7);
}

/**
 * Returns a bit for each of the `WINDOW` bytes from address `at`, lowest first: 1 for a byte that
 * belongs to a token. The higher bits are undefined.
 */
export function tokenBits(at: i32): u64 {
  return load<u64>(tokens + (at >>> 3)) >> (at & 7);
}
