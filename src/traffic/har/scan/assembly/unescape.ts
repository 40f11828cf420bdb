import { BACKSLASH, QUOTE, SLASH, SPACE } from "../../../../base/ascii";
import { REMOVALS } from "../addresses";
import { escapedBits, lanes } from "./escapes";

export const U: i32 = 0x75;
/** Number of hex digits in a Unicode escape. */
const DIGITS: i32 = 4;

/**
 * Resolves the escapes in `[from, to)`, the content of a JSON string in UTF-8, and writes the text
 * to `into`, also in UTF-8. Returns the length of the text in bytes. Returns -1 if the content is
 * invalid, or -2 if it contains the escape of a lone surrogate. Copies invalid UTF-8 unchanged.
 */
export function unescape(from: i32, to: i32, into: i32): i32 {
  let at = from;
  let out = into;
  while (at < to) {
    const bytes = v128.load(at);
    v128.store(out, bytes);
    const backslashes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8> BACKSLASH)));
    const controls = i8x16.bitmask(i8x16.lt_u(bytes, i8x16.splat(<i8> SPACE)));
    const stops = backslashes | controls;
    if (controls === 0 && backslashes !== 0 && at + 16 <= to) {
      const escaped = escapedBits(backslashes, 0);
      const resolved = resolve(bytes, escaped);
      if (((escaped & ~resolvedBits) & 0xffff) === 0) {
        const removed = escaped >> 1;
        const kept = removed & 0x8000 ? 15 : 16;
        out = keep(resolved, removed, out);
        at += kept;
        continue;
      }
    }
    const plain = min<i32>(stops === 0 ? 16 : ctz(stops), to - at);
    at += plain;
    out += plain;
    if (stops === 0 || at >= to) continue;
    if (<i32> load<u8>(at) !== BACKSLASH || at + 1 >= to) return -1;
    const escape = <i32> load<u8>(at + 1);
    at += 2;
    if (escape !== U) {
      const byte = escaped(escape);
      if (byte === 0) return -1;
      store<u8>(out++, byte);
      continue;
    }
    let code = hex(at, to);
    if (code < 0) return -1;
    at += DIGITS;
    if (code >= 0xd800 && code < 0xe000) {
      if (code >= 0xdc00 || at + 2 > to) return lone(at, to);
      if (<i32> load<u8>(at) !== BACKSLASH || <i32> load<u8>(at + 1) !== U) return lone(at, to);
      const low = hex(at + 2, to);
      if (low < 0xdc00 || low >= 0xe000) return lone(at, to);
      at += 2 + DIGITS;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    out = encode(code, out);
  }
  return out - into;
}

/**
 * Result of the last call to `resolve`: a mask of the bytes that it can resolve if a backslash
 * precedes them.
 */
let resolvedBits: i32 = 0;

/**
 * Replaces each byte whose bit is set in `escaped` with the byte that its escape sequence
 * represents, such as `n` with a line feed. Leaves rare escapes unchanged, and sets
 * `resolvedBits` so that the caller can detect them.
 */
function resolve(bytes: v128, escaped: i32): v128 {
  const simple = v128.or(
    i8x16.eq(bytes, i8x16.splat(<i8> QUOTE)),
    v128.or(
      i8x16.eq(bytes, i8x16.splat(<i8> BACKSLASH)),
      i8x16.eq(bytes, i8x16.splat(<i8> SLASH)),
    ),
  );
  const simpleBits = i8x16.bitmask(simple);
  if ((escaped & ~simpleBits & 0xffff) === 0) {
    resolvedBits = simpleBits;
    return bytes;
  }
  const n = i8x16.eq(bytes, i8x16.splat(0x6e));
  const t = i8x16.eq(bytes, i8x16.splat(0x74));
  const r = i8x16.eq(bytes, i8x16.splat(0x72));
  const letters = v128.or(n, v128.or(t, r));
  resolvedBits = simpleBits | i8x16.bitmask(letters);
  const controls = v128.or(
    v128.and(n, i8x16.splat(0x0a)),
    v128.or(v128.and(t, i8x16.splat(0x09)), v128.and(r, i8x16.splat(0x0d))),
  );
  return v128.bitselect(controls, bytes, v128.and(letters, lanes(escaped)));
}

/**
 * Writes `bytes`, except those whose bit is set in `removed`, to `out`. Returns the address after
 * the written bytes.
 */
function keep(bytes: v128, removed: i32, out: i32): i32 {
  const low = removed & 0xff;
  const high = removed >> 8;
  v128.store64_lane(out, i8x16.swizzle(bytes, v128.load64_zero(REMOVALS + 8 * low)), 0);
  const middle = out + 8 - popcnt(low);
  const upper = i8x16.add(v128.load64_zero(REMOVALS + 8 * high), i8x16.splat(8));
  v128.store64_lane(middle, i8x16.swizzle(bytes, upper), 0);
  return middle + 8 - popcnt(high);
}

/**
 * Fills the table `REMOVALS`. For each mask of 8 bits, it contains the indexes of the bits that are
 * 0, in ascending order.
 */
export function fillRemovals(): void {
  for (let mask = 0; mask < 256; mask++) {
    let to = REMOVALS + 8 * mask;
    for (let bit = 0; bit < 8; bit++) if ((mask >> bit & 1) === 0) store<u8>(to++, bit);
  }
}

/** Returns -2 if the rest of the string, after a lone surrogate, is valid, and -1 otherwise. */
function lone(from: i32, to: i32): i32 {
  for (let at = from; at < to; at++) {
    const byte = <i32> load<u8>(at);
    if (byte < SPACE) return -1;
    if (byte !== BACKSLASH) continue;
    if (++at >= to) return -1;
    const escape = <i32> load<u8>(at);
    if (escape === U) {
      if (hex(at + 1, to) < 0) return -1;
      at += DIGITS;
    } else if (escaped(escape) === 0) return -1;
  }
  return -2;
}

/** Returns the byte that a backslash and `byte` stand for, or 0 if the escape is invalid. */
function escaped(byte: i32): i32 {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
      return byte;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return 0;
  }
}

/** Parses four hex digits. Returns -1 if they are invalid or do not end before `to`. */
export function hex(from: i32, to: i32): i32 {
  if (from + DIGITS > to) return -1;
  let code = 0;
  for (let at = from; at < from + DIGITS; at++) {
    const byte = <i32> load<u8>(at);
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) code = code << 4 | byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) code = code << 4 | letter - 0x57;
    else return -1;
  }
  return code;
}

/** Writes a code point as UTF-8. Returns the address after it. */
function encode(code: i32, out: i32): i32 {
  if (code < 0x80) {
    store<u8>(out, code);
    return out + 1;
  }
  const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (let i = length - 1; i > 0; i--, code >>= 6) store<u8>(out + i, 0x80 | code & 0x3f);
  store<u8>(out, (0xf00 >> length) & 0xff | code);
  return out + length;
}
