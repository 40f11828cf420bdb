import { PARTS, PARTS_POWER, VALUES, VALUES_POWER } from "../leaf_addresses";
import { isSet, setBit } from "./text_hash";

/** Minimum length, in bytes, of a text whose tokens are looked up. */
const SHORTEST = 4;

/** Adds the values at `[from, to)`, which end in a NUL each, to the wanted values. */
export function addValues(from: i32, to: i32): void {
  addAll(VALUES, from, to, VALUES_POWER);
}

/** Adds the tokens at `[from, to)`, which end in a NUL each, to those that a wanted text contains. */
export function addParts(from: i32, to: i32): void {
  addAll(PARTS, from, to, PARTS_POWER);
}

function addAll(bitmap: i32, from: i32, to: i32, bits: i32): void {
  let start = from;
  for (let at = from; at < to; at++) {
    if (load<u8>(at) !== 0) continue;
    setBit(bitmap, start, at, bits);
    start = at + 1;
  }
}

/** Reports whether the number at `[from, to)` may be a wanted value. */
export function isWantedNumber(from: i32, to: i32): bool {
  return isSet(VALUES, from, to, VALUES_POWER);
}

/**
 * Reports whether the text at `[from, to)`, which contains no escapes, may be wanted: it is a wanted
 * value, its longest token is one, or one of its tokens is a part.
 */
export function isWantedText(from: i32, to: i32): bool {
  if (isSet(VALUES, from, to, VALUES_POWER)) return true;
  if (to - from < SHORTEST) return false;
  let longestFrom = from;
  let longestTo = from;
  let areAllChecked = false;
  let at = from;
  while (at < to) {
    const bytes = v128.load(at);
    if (i8x16.bitmask(bytes) !== 0 && !areAllChecked) {
      // The order of lengths in bytes differs from that in UTF-16 units if the text is not ASCII.
      if (hasWantedToken(from, to)) return true;
      areAllChecked = true;
    }
    let inToken = tokenBits(bytes);
    if (to - at < 16) inToken &= (1 << (to - at)) - 1;
    if (inToken === 0) {
      at += 16;
      continue;
    }
    const start = at + ctz(inToken);
    const outside = ~inToken & (-1 << ctz(inToken)) & 0xffff;
    const end = outside !== 0 ? at + ctz(outside) : tokenEnd(at + 16, to);
    if (isSet(PARTS, start, end, PARTS_POWER)) return true;
    if (end - start > longestTo - longestFrom) {
      longestFrom = start;
      longestTo = end;
    }
    at = end;
  }
  if (areAllChecked || longestFrom === longestTo) return false;
  return isSet(VALUES, longestFrom, longestTo, VALUES_POWER);
}

/** Reports whether a token at `[from, to)` may be a wanted value. */
function hasWantedToken(from: i32, to: i32): bool {
  for (let at = from; at < to;) {
    const end = tokenEnd(at, to);
    if (end > at && isSet(VALUES, at, end, VALUES_POWER)) return true;
    at = end + 1;
  }
  return false;
}

/** Returns the end of the token that starts at `from`. */
function tokenEnd(from: i32, to: i32): i32 {
  for (let at = from; at < to; at += 16) {
    const outside = ~tokenBits(v128.load(at)) & 0xffff;
    if (outside !== 0) return min<i32>(at + ctz(outside), to);
  }
  return to;
}

/** Returns a mask with a bit for each byte that belongs to a token: letters, digits, and non-ASCII. */
export function tokenBits(bytes: v128): i32 {
  const letters = i8x16.lt_u(
    i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x61)),
    i8x16.splat(26),
  );
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
  return i8x16.bitmask(v128.or(v128.or(letters, digits), bytes));
}
