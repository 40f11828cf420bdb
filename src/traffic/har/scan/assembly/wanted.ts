import {
  MIN_WANTED_POWER,
  REPEATED,
  REPEATED_BYTES,
  REPEATED_TEXTS,
  WANTED,
  WANTED_BYTES,
} from "../leaf_addresses";
import { same } from "./names";
import { wideHash } from "./text_hash";

/**
 * Minimum length, in bytes, of a string whose tokens are checked. A shorter string is checked only
 * as a whole.
 */
const SHORTEST = 4;

/** Number of low bits to drop from a hash to get the number of its entry in the filter. */
let shift: i32 = 64 - MIN_WANTED_POWER;
/** Byte offset of the bits for values (u64) in a filter entry. */
const VALUE: i32 = 0;
/** Byte offset of the bits for tokens (u64) in a filter entry. */
const PART: i32 = 8;

/** Sets the number of entries in the filter to 2 ** `power`. Call it before strings are added. */
export function setWantedPower(power: i32): void {
  shift = 64 - power;
}

/** Adds the values at `[from, to)`, each followed by a NUL, to the wanted values. */
export function addValues(from: i32, to: i32): void {
  addAll(VALUE, from, to);
}

/**
 * Adds the tokens at `[from, to)`, each followed by a NUL. A string is wanted if it contains one of
 * them.
 */
export function addParts(from: i32, to: i32): void {
  addAll(PART, from, to);
}

function addAll(word: i32, from: i32, to: i32): void {
  let start = from;
  for (let at = from; at < to; at++) {
    if (load<u8>(at) !== 0) continue;
    const hash = wideHash(start, at);
    const address = entryOf(hash) + word;
    store<u64>(address, load<u64>(address) | marks(hash));
    start = at + 1;
  }
}

/** Returns the address of the filter entry for strings with this hash. */
function entryOf(hash: u64): i32 {
  return WANTED + <i32> (hash >> shift) * WANTED_BYTES;
}

/** Returns the bits that a string with this hash sets in its filter entry. */
function marks(hash: u64): u64 {
  return <u64> 1 << (hash >> 28 & 63) | <u64> 1 << (hash >> 34 & 63) | <u64> 1 << (hash >> 40 & 63);
}

/**
 * Reports whether the filter may contain a string with this hash. `word` is `VALUE` for the values,
 * or `PART` for the tokens.
 */
function mayContain(word: i32, hash: u64): bool {
  const wanted = marks(hash);
  return (load<u64>(entryOf(hash) + word) & wanted) === wanted;
}

/** Reports whether the number at `[from, to)` may be a wanted value. */
export function isWantedNumber(from: i32, to: i32): bool {
  return mayContain(VALUE, wideHash(from, to));
}

/** Forgets the repeated strings, because the next strings belong to a different body. */
export function beginTexts(): void {
  body++;
}

/** Number that identifies the current body in the table of repeated strings. */
let body: i32 = 0;

/**
 * Reports whether the text at `[from, to)`, which contains no escapes, may be wanted: it is a
 * wanted value, its longest token is a wanted value, or one of its tokens was added with
 * `addParts`.
 */
export function isWantedText(from: i32, to: i32): bool {
  const hash = wideHash(from, to);
  if (mayContain(VALUE, hash)) return true;
  const length = to - from;
  if (length < SHORTEST) return false;
  const bytes = v128.load(from);
  // Most strings are either a single token, or they occur again in the same body.
  if (length <= 16) {
    const all = -1 >>> (32 - length);
    if ((tokenBits(bytes) & all) === all && (i8x16.bitmask(bytes) & all) === 0) {
      return mayContain(PART, hash);
    }
  }
  const entry = REPEATED + REPEATED_BYTES * (<i32> (hash >> 32) & (REPEATED_TEXTS - 1));
  if (
    load<i32>(entry) === body && load<i32>(entry + 8) === length &&
    same(load<i32>(entry + 4), from, length)
  ) return false;
  if (hasWanted(from, to)) return true;
  store<i32>(entry, body);
  store<i32>(entry + 4, from);
  store<i32>(entry + 8, length);
  return false;
}

/**
 * Reports whether the text at `[from, to)` contains a token that may have been added with
 * `addParts`, or whether its longest token may be a wanted value. If the text is not ASCII, checks
 * whether any token may be a wanted value.
 */
function hasWanted(from: i32, to: i32): bool {
  let longestFrom = from;
  let longestTo = from;
  let areAllChecked = false;
  let at = from;
  while (at < to) {
    const bytes = v128.load(at);
    if (i8x16.bitmask(bytes) !== 0 && !areAllChecked) {
      // The order of lengths in bytes differs from that in UTF-16 code units if the text is not
      // ASCII.
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
    if (mayContain(PART, wideHash(start, end))) return true;
    if (end - start > longestTo - longestFrom) {
      longestFrom = start;
      longestTo = end;
    }
    at = end;
  }
  if (areAllChecked || longestFrom === longestTo) return false;
  return mayContain(VALUE, wideHash(longestFrom, longestTo));
}

/** Reports whether any token in the text at `[from, to)` may be a wanted value. */
function hasWantedToken(from: i32, to: i32): bool {
  for (let at = from; at < to;) {
    const end = tokenEnd(at, to);
    if (end > at && mayContain(VALUE, wideHash(at, end))) return true;
    at = end + 1;
  }
  return false;
}

/** Returns the end address of the token that starts at `from`, at most `to`. */
function tokenEnd(from: i32, to: i32): i32 {
  for (let at = from; at < to; at += 16) {
    const outside = ~tokenBits(v128.load(at)) & 0xffff;
    if (outside !== 0) return min<i32>(at + ctz(outside), to);
  }
  return to;
}

/**
 * Returns a mask with a bit for each byte that belongs to a token: a letter, a digit or a non-ASCII
 * byte.
 */
export function tokenBits(bytes: v128): i32 {
  const letters = i8x16.lt_u(
    i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x61)),
    i8x16.splat(26),
  );
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
  return i8x16.bitmask(v128.or(v128.or(letters, digits), bytes));
}
