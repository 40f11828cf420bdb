// Entry point of the program that `ByteScanner` and `LeafScanner` run.
import { BACKSLASH, LF, QUOTE, SPACE } from "../../../../base/ascii";
import { LONG_STRING, MAX_STRINGS, RESULT, STRING_BYTES, STRINGS } from "../addresses";
import { escapedBits } from "./escapes";

import { extraUnits, simpleEscapes } from "./unescape";

export { findLeaves, leaves } from "./leaves";
export { addTokens, findTokens, isAscii } from "./tokens";
export { addParts, addValues, setWantedPower } from "./wanted";
export { fillRemovals, unescape, units } from "./unescape";

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
/** False if the last string may be invalid, or contains a Unicode escape. */
let isCertain: bool = true;
/** Length of the last string in UTF-16 code units, minus its length in bytes. */
let extra: i32 = 0;
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
      isCertain = true;
      extra = 0;
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
  store<i32>(entry + 8, isCertain ? to - string - 2 + extra : -1);
}

/**
 * Returns the address after the quotation mark that ends the current string, if `[from, to)`
 * contains it. Otherwise returns the negated address at which to continue: `to`, or `to + 1` if the
 * range ends in a backslash.
 */
function stringEnd(from: i32, to: i32): i32 {
  const quote = i8x16.splat(<i8> QUOTE);
  const backslash = i8x16.splat(<i8> BACKSLASH);
  // Bit 0 is 1 if the byte at `at` is escaped.
  let carry = 0;
  for (let at = from; at < to; at += 16) {
    const bytes = v128.load(at);
    const length = min<i32>(to - at, 16);
    const inside = (1 << length) - 1;
    const quotes = i8x16.bitmask(i8x16.eq(bytes, quote)) & inside;
    const backslashes = i8x16.bitmask(i8x16.eq(bytes, backslash)) & inside;
    const escaped = escapedBits(backslashes, carry);
    const ends = quotes & ~escaped;
    const kept = ends !== 0 ? (ends & -ends) - 1 : inside;
    const controls = i8x16.bitmask(i8x16.lt_u(bytes, i8x16.splat(<i8> SPACE)));
    if (((controls | escaped | i8x16.bitmask(bytes)) & kept) !== 0) {
      inspect(bytes, controls & kept, escaped & kept, kept);
    }
    if (ends !== 0) return at + ctz(ends) + 1;
    carry = escaped >> length & 1;
  }
  // The escaped byte is not part of any range.
  if (carry !== 0) isCertain = false;
  return -(to + carry);
}

/**
 * Updates `extra` and `isCertain` for a part of a string. Each mask has one bit for each of the 16
 * bytes: `controls` for control characters, `escaped` for escaped bytes, and `kept` for the bytes
 * that belong to the string.
 */
function inspect(bytes: v128, controls: i32, escaped: i32, kept: i32): void {
  if (controls !== 0) isCertain = false;
  extra += extraUnits(bytes, kept);
  if (escaped === 0) return;
  extra -= popcnt(escaped);
  if ((escaped & ~simpleEscapes(bytes)) !== 0) isCertain = false;
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
