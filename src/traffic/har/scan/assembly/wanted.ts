import { MIN_WANTED_POWER, STARTS, WANTED, WANTED_BYTES } from "../leaf_addresses";
import { tokenBits, WINDOW } from "./byte_bits";
import { startHash, wideHash } from "./text_hash";

/**
 * Minimum length, in bytes, of a string whose tokens are checked. A shorter string is checked only
 * as a whole.
 */
const SHORTEST = 4;

/** Base-2 logarithm of the number of bits at `STARTS` for each entry in the filter at `WANTED`. */
const START_POWER: i32 = 6;
/** Byte offset of the bits for values (u64) in a filter entry. */
const VALUE: i32 = 0;
/** Byte offset of the bits for tokens (u64) in a filter entry. */
const PART: i32 = 8;

/** Number of low bits to drop from a hash to get the number of its entry at `WANTED`. */
let shift: i32 = 64 - MIN_WANTED_POWER;
/** Number of low bits to drop from a hash to get the number of its bit at `STARTS`. */
let startShift: i32 = shift - START_POWER;

/**
 * Sets the number of entries in the filter at `WANTED` to 2 ** `power`. Call it before strings are
 * added.
 */
export function setWantedPower(power: i32): void {
  shift = 64 - power;
  startShift = shift - START_POWER;
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
    const bit = startHash(start, at) >> startShift;
    const byte = STARTS + <i32> (bit >> 3);
    store<u8>(byte, load<u8>(byte) | <u8> 1 << <u8> (bit & 7));
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

/**
 * Reports whether a wanted string may have the same length and the same first bytes as the string
 * at `[from, to)`.
 */
function mayStart(from: i32, to: i32): bool {
  const bit = startHash(from, to) >> startShift;
  return (load<u8>(STARTS + <i32> (bit >> 3)) >> <u8> (bit & 7) & 1) !== 0;
}

/** Reports whether the number at `[from, to)` may be a wanted value. */
export function isWantedNumber(from: i32, to: i32): bool {
  return mayStart(from, to) && mayContain(VALUE, wideHash(from, to));
}

/**
 * Reports whether the text at `[from, to)`, which contains no escapes, may be wanted: it is a
 * wanted value, its longest token is a wanted value, or one of its tokens was added with
 * `addParts`.
 */
export function isWantedText(from: i32, to: i32): bool {
  const isPossible = mayStart(from, to);
  if (isPossible && mayContain(VALUE, wideHash(from, to))) return true;
  const length = to - from;
  if (length < SHORTEST) return false;
  if (length <= WINDOW) {
    const all = (<u64> 1 << length) - 1;
    if ((tokenBits(from) & all) === all) return isPossible && mayContain(PART, wideHash(from, to));
  }
  return hasWanted(from, to);
}

/**
 * Reports whether the text at `[from, to)` contains a token that may have been added with
 * `addParts`, or whether its longest token may be a wanted value. If the text is not ASCII, any
 * token may be the longest, because the order of lengths in bytes differs from that in UTF-16 code
 * units.
 */
function hasWanted(from: i32, to: i32): bool {
  let longest = 0;
  let longestValue = 0;
  let hasValue = false;
  let at = from;
  while (at < to) {
    let bits = tokenBits(at) & ((<u64> 1 << min<i32>(to - at, WINDOW)) - 1);
    let next = at + WINDOW;
    while (bits !== 0) {
      const start = at + <i32> ctz(bits);
      // Clears the bits of the token, and sets the bit after them.
      const rest = bits + (bits & -bits);
      let end = at + <i32> ctz(rest);
      bits = rest & (rest - 1);
      if (end === next) next = end = tokenEnd(end, to);
      const length = end - start;
      if (mayStart(start, end)) {
        const hash = wideHash(start, end);
        if (mayContain(PART, hash)) return true;
        if (mayContain(VALUE, hash)) {
          hasValue = true;
          if (length > longest) longestValue = length;
        }
      }
      longest = max<i32>(longest, length);
    }
    at = next;
  }
  return hasValue && (longest === longestValue || !isAscii(from, to));
}

function isAscii(from: i32, to: i32): bool {
  for (let at = from; at < to; at++) if (load<u8>(at) >= 0x80) return false;
  return true;
}

/** Returns the end address of the token that starts before `from`, at most `to`. */
function tokenEnd(from: i32, to: i32): i32 {
  for (let at = from; at < to; at += WINDOW) {
    const outside = ~tokenBits(at) & ((<u64> 1 << WINDOW) - 1);
    if (outside !== 0) return min<i32>(at + <i32> ctz(outside), to);
  }
  return to;
}
