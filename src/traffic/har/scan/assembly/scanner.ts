// Entry point of the program that `ByteScanner` and `LeafScanner` run.
import { BACKSLASH, LF, QUOTE, SPACE } from "../../../../base/ascii";
import {
  ESCAPED_UNIT,
  LONG_STRING,
  MAX_STRINGS,
  PLAIN_UNIT,
  RESULT,
  STRING_BYTES,
  STRINGS,
} from "../addresses";
import { escapedBits, lanes } from "./escapes";
import { hex, U } from "./unescape";

export { findLeaves, leaves } from "./leaves";
export { addTokens, findTokens, isAscii } from "./tokens";
export { addParts, addValues, setWantedPower } from "./wanted";
export { fillRemovals, unescape } from "./unescape";

/** Bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE: i32 = 0x20;
const OPEN: i32 = 0x7b;
const CLOSE: i32 = 0x7d;

let depth: i32 = 0;
let inString: bool = false;

let found: bool = false;
let newlines: i32 = 0;
let lineStart: i32 = 0;
/** Address of the opening quotation mark of the last string. */
let string: i32 = 0;
/** Longest UTF-16 code unit of the last string: see `STRINGS`. */
let longestUnit: i32 = 0;
/** Number of long strings in the list at `STRINGS`. */
let strings: i32 = 0;

/** Prepares `scan` to find the end of the next value: a string, an object or a list. */
export function begin(): void {
  depth = 0;
  inString = false;
}

/** Adjusts the address of an open string after the text has moved in memory by `bytes`. */
export function move(bytes: i32): void {
  string += bytes;
}

/**
 * Searches `[from, to)` for the end of the value. Returns the address after the value, or the
 * address at which to continue. This address is `to + 1` if the range ends in a backslash within a
 * string. Writes the other results to `RESULT`.
 */
export function scan(from: i32, to: i32): i32 {
  found = false;
  newlines = 0;
  strings = 0;
  const at = valueEnd(from, to);
  store<i32>(RESULT, found);
  store<i32>(RESULT + 4, newlines);
  store<i32>(RESULT + 8, lineStart);
  store<i32>(RESULT + 12, strings);
  return at;
}

function valueEnd(from: i32, to: i32): i32 {
  let at = from;
  while (at < to) {
    if (inString) {
      at = stringEnd(at, to);
      if (at < 0) return -at;
      inString = false;
      if (at - string >= LONG_STRING) list(at);
      if (depth === 0) return end(at);
      if (strings === MAX_STRINGS) return at;
      continue;
    }
    const marks = structure(v128.load(at));
    if (marks === 0) {
      at += 16;
      continue;
    }
    at += ctz(marks);
    if (at >= to) return to;
    const byte = <i32> load<u8>(at++);
    if (byte === QUOTE) {
      inString = true;
      longestUnit = PLAIN_UNIT;
      string = at - 1;
    } else if (byte === LF) {
      newlines++;
      lineStart = at;
    } else if ((byte | BRACE) === OPEN) depth++;
    else if (--depth === 0) return end(at);
  }
  return inString ? at : to;
}

function end(at: i32): i32 {
  found = true;
  return at;
}

function list(to: i32): void {
  const entry = STRINGS + STRING_BYTES * strings++;
  store<i32>(entry, string);
  store<i32>(entry + 4, to);
  store<i32>(entry + 8, longestUnit);
}

/**
 * Returns the address after the quotation mark that ends the current string, if `[from, to)`
 * contains it. Otherwise returns the negated address at which to continue: `to`, or `to + 1` if the
 * range ends in a backslash.
 */
function stringEnd(from: i32, to: i32): i32 {
  const quote = i8x16.splat(<i8> QUOTE);
  const backslash = i8x16.splat(<i8> BACKSLASH);
  const space = i8x16.splat(<i8> SPACE);
  /** The unescaped backslashes of the previous 16 bytes. */
  let starts = i8x16.splat(0);
  let at = from;
  while (true) {
    const bytes = v128.load(at);
    const backslashes = i8x16.eq(bytes, backslash);
    let escaped = after(starts, backslashes);
    if (v128.any_true(v128.and(escaped, backslashes))) {
      const carry = i8x16.bitmask(starts) >> 15;
      escaped = lanes(escapedBits(i8x16.bitmask(backslashes), carry));
    }
    starts = v128.andnot(backslashes, escaped);
    const ends = i8x16.bitmask(v128.andnot(i8x16.eq(bytes, quote), escaped));
    const faults = i8x16.bitmask(v128.or(
      v128.andnot(escaped, simpleEscapes(bytes)),
      i8x16.lt_u(bytes, space),
    ));
    if (ends === 0 && at + 16 < to) {
      if (faults !== 0) checkEscapes(at, faults, to);
      at += 16;
      continue;
    }
    const length = min<i32>(to - at, 16);
    const inside = (1 << length) - 1;
    const end = ends & inside;
    checkEscapes(at, faults & (end !== 0 ? (end & -end) - 1 : inside), to);
    if (end !== 0) return at + ctz(end) + 1;
    const carry = i8x16.bitmask(starts) >> (length - 1) & 1;
    // The escaped byte is not part of any range.
    if (carry !== 0) longestUnit = 0;
    return -(to + carry);
  }
}

/**
 * Updates `longestUnit` for the bytes whose bit is set in `faults`. Each of them must be the `u` of
 * a Unicode escape that ends before `to` and is not a surrogate. `at` is the address of the byte of
 * bit 0.
 */
function checkEscapes(at: i32, faults: i32, to: i32): void {
  for (let rest = faults; rest !== 0 && longestUnit !== 0; rest &= rest - 1) {
    const byte = at + ctz(rest);
    const code = <i32> load<u8>(byte) === U ? hex(byte + 1, to) : -1;
    longestUnit = code >= 0 && (code & 0xf800) !== 0xd800 ? ESCAPED_UNIT : 0;
  }
}

/** Returns the last byte of `previous` and the first 15 bytes of `bytes`. */
function after(previous: v128, bytes: v128): v128 {
  return i8x16.shuffle(
    previous,
    bytes,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
  );
}

/**
 * Returns a vector with 0xff for each byte that can end an escape sequence of two bytes, such as
 * `n` in `\n`.
 */
function simpleEscapes(bytes: v128): v128 {
  // The escape that has the same low four bits as its index, except `\b` and `\r`.
  const escapes = i8x16(1, 0, 0x22, 0, 0x74, 0, 0x66, 0, 0, 0, 0, 0, 0x5c, 0, 0x6e, 0x2f);
  const same = i8x16.swizzle(escapes, v128.and(bytes, i8x16.splat(0x0f)));
  return v128.or(
    i8x16.eq(bytes, same),
    v128.or(i8x16.eq(bytes, i8x16.splat(0x62)), i8x16.eq(bytes, i8x16.splat(0x72))),
  );
}

/** Returns a mask with a bit for each quotation mark, line feed and bracket in `bytes`. */
function structure(bytes: v128): i32 {
  const braces = v128.or(bytes, i8x16.splat(<i8> BRACE));
  const brackets = v128.or(
    i8x16.eq(braces, i8x16.splat(<i8> OPEN)),
    i8x16.eq(braces, i8x16.splat(<i8> CLOSE)),
  );
  const others = v128.or(
    i8x16.eq(bytes, i8x16.splat(<i8> QUOTE)),
    i8x16.eq(bytes, i8x16.splat(<i8> LF)),
  );
  return i8x16.bitmask(v128.or(brackets, others));
}
