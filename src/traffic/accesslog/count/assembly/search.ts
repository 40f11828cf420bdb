import { BACKSLASH, LF, SLASH, ZERO } from "../../../../base/ascii";
import { TEXT_MASK } from "../memory";
import {
  ID_BYTES_HIGH,
  ID_BYTES_LOW,
  PATH_STOPS_HIGH,
  PATH_STOPS_LOW,
  QUERY_STOPS_HIGH,
  QUERY_STOPS_LOW,
} from "./tables";

/** First byte that is in PATH_STOPS (see tables.ts) or equal to `stop`. */
export function pathEnd(from: i32, stop: i32): i32 {
  const stops = i8x16.splat(<i8> stop);
  let at = from;
  let found: i32;
  do {
    found = inSet(v128.load(at), PATH_STOPS_LOW, PATH_STOPS_HIGH, stops) |
      (inSet(v128.load(at, 16), PATH_STOPS_LOW, PATH_STOPS_HIGH, stops) << 16);
    at += 32;
  } while (found === 0);
  return at - 32 + ctz(found);
}

/** First byte that is in QUERY_STOPS (see tables.ts) or equal to `stop`. */
export function queryEnd(from: i32, stop: i32): i32 {
  const stops = i8x16.splat(<i8> stop);
  let at = from;
  let found: i32;
  while ((found = inSet(v128.load(at), QUERY_STOPS_LOW, QUERY_STOPS_HIGH, stops)) === 0) at += 16;
  return at + ctz(found);
}

/**
 * Mask of the bytes in the set of the tables `low` and `high` (see tables.ts) or equal to `stops`.
 */
function inSet(bytes: v128, low: v128, high: v128, stops: v128): i32 {
  const both = inBoth(bytes, low, high);
  return ~i8x16.bitmask(v128.andnot(i8x16.eq(both, i8x16.splat(0)), i8x16.eq(bytes, stops))) &
    0xffff;
}

function inBoth(bytes: v128, low: v128, high: v128): v128 {
  const half = i8x16.splat(0x0f);
  const lower = i8x16.swizzle(low, v128.and(bytes, half));
  return v128.and(lower, i8x16.swizzle(high, v128.and(i16x8.shr_u(bytes, 4), half)));
}

/** First LF or `stop`. */
export function find(from: i32, stop: i32): i32 {
  const stops = i8x16.splat(<i8> stop);
  let at = from;
  let found: i32;
  do {
    found = i8x16.bitmask(ends(v128.load(at), stops)) |
      (i8x16.bitmask(ends(v128.load(at, 16), stops)) << 16);
    at += 32;
  } while (found === 0);
  return at - 32 + ctz(found);
}

/** First LF, backslash or `stop`. */
export function findQuoted(from: i32, stop: i32): i32 {
  const stops = i8x16.splat(<i8> stop);
  const escapes = i8x16.splat(<i8> BACKSLASH);
  let at = from;
  let found: i32;
  while ((found = escapesOrEnds(v128.load(at), stops, escapes)) === 0) at += 16;
  return at + ctz(found);
}

function ends(bytes: v128, stops: v128): v128 {
  return v128.or(i8x16.eq(bytes, stops), i8x16.eq(bytes, i8x16.splat(<i8> LF)));
}

function escapesOrEnds(bytes: v128, stops: v128, escapes: v128): i32 {
  return i8x16.bitmask(v128.or(ends(bytes, stops), i8x16.eq(bytes, escapes)));
}

export function lineEnd(from: i32): i32 {
  const lfs = i8x16.splat(<i8> LF);
  for (let at = from;; at += 64) {
    const a = i8x16.eq(v128.load(at), lfs);
    const b = i8x16.eq(v128.load(at, 16), lfs);
    const c = i8x16.eq(v128.load(at, 32), lfs);
    const d = i8x16.eq(v128.load(at, 48), lfs);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    const first = i8x16.bitmask(a) | (i8x16.bitmask(b) << 16);
    if (first !== 0) return at + ctz(first);
    return at + 32 + ctz(i8x16.bitmask(c) | (i8x16.bitmask(d) << 16));
  }
}

/** Mask of the 16 bytes at `at`: 1 for a digit. */
export function digitsAt(at: i32): i32 {
  const above = i8x16.sub(v128.load(at), i8x16.splat(<i8> ZERO));
  return i8x16.bitmask(i8x16.lt_u(above, i8x16.splat(10)));
}

/** Mask: 1 for a byte that can be part of an id. */
export function idBytesAt(at: i32): i32 {
  return ~i8x16.bitmask(
    i8x16.eq(inBoth(v128.load(at), ID_BYTES_LOW, ID_BYTES_HIGH), i8x16.splat(0)),
  ) & 0xffff;
}

export function slashesAt(at: i32): i32 {
  return i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(<i8> SLASH)));
}

/** Whether the bytes at `at` match the masked string at `text`; see memory.ts. */
export function matchesAt(at: i32, text: i32): bool {
  const difference = v128.xor(v128.load(at), v128.load(text));
  return !v128.any_true(v128.and(difference, v128.load(text, TEXT_MASK)));
}
