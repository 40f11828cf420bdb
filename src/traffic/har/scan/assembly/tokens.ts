// Finds the wanted tokens in a string. A token is a maximal run of letters, digits and characters
// that are not ASCII.
import { SPACE, ZERO } from "../../../../base/ascii";
import {
  BITMAP_POWER,
  FOUND,
  FOUND_BYTES,
  MAX_FOUND,
  TOKEN_BITMAP,
  TOKEN_BYTES,
} from "../token_addresses";
import { same } from "./names";
import { isSet, setBit, textHash } from "./text_hash";

/** Address of the hash table of the wanted tokens. */
let table: i32 = 0;
/** Base-2 logarithm of the number of entries in the hash table. */
let power: i32 = 0;
/** Length of the shortest wanted token, in bytes. */
let shortest: i32 = i32.MAX_VALUE;
/** Length of the longest wanted token, in bytes. */
let longest: i32 = 0;

/** Number of tokens in the list at `FOUND`. */
let found: i32 = 0;
/** True if the last text is ASCII. */
export let isAscii: bool = true;

/**
 * Fills the token bitmap and the hash table at address `at` with the tokens at `[from, to)`, and
 * numbers them from 0. A space follows each token. The table must be empty and have 2 ** `bits`
 * entries, which must be more than there are tokens.
 */
export function addTokens(from: i32, to: i32, at: i32, bits: i32): void {
  table = at;
  power = bits;
  let start = from;
  let number = 0;
  for (let end = from; end < to; end++) {
    if (<i32> load<u8>(end) !== SPACE) continue;
    const length = end - start;
    shortest = min<i32>(shortest, length);
    longest = max<i32>(longest, length);
    setBit(TOKEN_BITMAP, start, end, BITMAP_POWER);
    const entry = entryOf(start, length);
    store<i32>(entry, start);
    store<i32>(entry + 4, length);
    store<i32>(entry + 8, number++);
    start = end + 1;
  }
}

/**
 * Returns the address of a token's entry in the hash table, or of a free entry if the table does
 * not contain the token.
 */
function entryOf(from: i32, length: i32): i32 {
  const last = (1 << power) - 1;
  let slot = textHash(from, from + length, power);
  while (true) {
    const entry = table + TOKEN_BYTES * slot;
    const known = load<i32>(entry);
    if (known === 0) return entry;
    if (load<i32>(entry + 4) === length && same(known, from, length)) return entry;
    slot = (slot + 1) & last;
  }
}

/**
 * Finds the wanted tokens in the text at `[from, to)`. Writes the number of each token, and its
 * offset in UTF-16 code units, to the list at `FOUND`. If a wanted token consists of digits and is
 * only part of a longer, non-ASCII token, writes the complement of its number. Returns the number
 * of list entries, or -1 if the list is full. Sets `isAscii`.
 */
export function findTokens(from: i32, to: i32): i32 {
  found = 0;
  isAscii = true;
  // UTF-16 code units minus bytes, from the start of the text to `at`.
  let extra = 0;
  let carry = 0;
  let start = from;
  let startUnits = 0;
  let hasHigh = false;
  for (let at = from; at < to; at += 16) {
    const bytes = v128.load(at);
    let bits = tokenBits(bytes);
    let high = i8x16.bitmask(bytes);
    const length = to - at;
    if (length < 16) {
      const kept = (1 << length) - 1;
      bits &= kept;
      high &= kept;
    }
    if (high !== 0) isAscii = false;
    // A bit for the first byte of each token, and for the first byte after each.
    let edges = (bits ^ (bits << 1 | carry)) & 0xffff;
    let open = carry !== 0;
    if (open && high !== 0) hasHigh = true;
    while (edges !== 0) {
      const offset = ctz(edges);
      edges &= edges - 1;
      if (open) {
        if (!add(start, at + offset, startUnits, hasHigh)) return -1;
      } else {
        start = at + offset;
        startUnits = start - from + extra + (high === 0 ? 0 : extraUnits(bytes, (1 << offset) - 1));
        hasHigh = high !== 0;
      }
      open = !open;
    }
    carry = bits >> 15 & 1;
    if (high !== 0) extra += extraUnits(bytes, (1 << min<i32>(length, 16)) - 1);
  }
  // A token that ends in the last block ended there, unless the block is full.
  if (carry !== 0 && !add(start, to, startUnits, hasHigh)) return -1;
  return found;
}

/**
 * Adds the token at `[from, to)` to the list if it is wanted. `units` is its offset in UTF-16 code
 * units. `hasHigh` is true if the token may contain non-ASCII bytes. Returns false if the list is
 * full.
 */
function add(from: i32, to: i32, units: i32, hasHigh: bool): bool {
  const length = to - from;
  if (length >= shortest && length <= longest && isSet(TOKEN_BITMAP, from, to, BITMAP_POWER)) {
    const entry = entryOf(from, length);
    if (load<i32>(entry) !== 0 && !list(load<i32>(entry + 8), units)) return false;
  }
  return !hasHigh || addNumbers(from, to, units);
}

/**
 * Adds the wanted digit sequences in the token at `[from, to)` to the list, but not the whole
 * token. `units` is the offset of the token in UTF-16 code units. Returns false if the list is
 * full.
 */
function addNumbers(from: i32, to: i32, units: i32): bool {
  let at = from;
  let offset = units;
  while (at < to) {
    const byte = <i32> load<u8>(at);
    if (!isDigit(byte)) {
      // Each character counts at its first byte. The longest have two UTF-16 code units.
      if ((byte & 0xc0) !== 0x80) offset += byte >= 0xf0 ? 2 : 1;
      at++;
      continue;
    }
    let end = at + 1;
    while (end < to && isDigit(<i32> load<u8>(end))) end++;
    const length = end - at;
    if (length < to - from && isSet(TOKEN_BITMAP, at, end, BITMAP_POWER)) {
      const entry = entryOf(at, length);
      if (load<i32>(entry) !== 0 && !list(~load<i32>(entry + 8), offset)) return false;
    }
    offset += length;
    at = end;
  }
  return true;
}

/**
 * Returns a mask with a bit for each byte that belongs to a token: a letter, a digit or a non-ASCII
 * byte.
 */
function tokenBits(bytes: v128): i32 {
  const letters = i8x16.le_u(
    i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x61)),
    i8x16.splat(25),
  );
  const digits = i8x16.le_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(9));
  return i8x16.bitmask(v128.or(v128.or(letters, digits), bytes));
}

function isDigit(byte: i32): bool {
  return byte >= ZERO && byte <= ZERO + 9;
}

function list(number: i32, units: i32): bool {
  if (found === MAX_FOUND) return false;
  const entry = FOUND + FOUND_BYTES * found++;
  store<i32>(entry, number);
  store<i32>(entry + 4, units);
  return true;
}

/**
 * Decodes the bytes whose bit is set in `kept`, and returns the number of resulting UTF-16 code
 * units minus the number of these bytes.
 */
function extraUnits(bytes: v128, kept: i32): i32 {
  const continuations = i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64)));
  const longest = i8x16.bitmask(i8x16.ge_u(bytes, i8x16.splat(<i8> 0xf0)));
  return popcnt(longest & kept) - popcnt(continuations & kept);
}
