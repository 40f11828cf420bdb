// The tokens of JSON text. A NUL follows the text, so that no function needs its end address.
import {
  BACKSLASH,
  CR,
  DASH,
  DOT,
  LF,
  PLUS,
  QUOTE,
  SLASH,
  SPACE,
  TAB,
  ZERO,
} from "../../../../base/ascii";
import { stopBits, WINDOW } from "./byte_bits";

/** Value that functions return instead of an address if the text is not valid JSON. */
export const INVALID: i32 = -1;

/**
 * Returns the address of the first quotation mark, backslash or control character at or after
 * `from`.
 */
export function stopFrom(from: i32): i32 {
  let at = from;
  while (true) {
    const stops = stopBits(at);
    if (stops !== 0) return at + <i32> ctz(stops);
    at += WINDOW;
  }
}

/**
 * Returns the address of the quotation mark that ends the string in which `from` is, or `INVALID`.
 * `from` is the address that `stopFrom` returned.
 */
export function stringEnd(from: i32): i32 {
  let at = from;
  while (true) {
    const byte = <i32> load<u8>(at);
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) return INVALID;
    at = escapeEnd(at + 1);
    if (at === INVALID) return INVALID;
    at = stopFrom(at);
  }
}

/**
 * Returns the address after the escape sequence whose backslash is directly before `from`, or
 * `INVALID`.
 */
function escapeEnd(from: i32): i32 {
  switch (<i32> load<u8>(from)) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return from + 1;
    case 0x75:
      break;
    default:
      return INVALID;
  }
  for (let at = from + 1; at < from + 5; at++) {
    const byte = <i32> load<u8>(at);
    const letter = byte | 0x20;
    if (!isDigit(byte) && (letter < 0x61 || letter > 0x66)) return INVALID;
  }
  return from + 5;
}

/**
 * Returns the address after the number that starts at `from`, or `INVALID` if it is not a valid
 * number.
 */
export function number(from: i32): i32 {
  const start = from + <i32> (<i32> load<u8>(from) === DASH);
  let at = digitsEnd(start);
  if (<i32> load<u8>(start) === ZERO) at = start + 1;
  else if (at === start) return INVALID;
  if (<i32> load<u8>(at) === DOT) {
    const fraction = at + 1;
    at = digitsEnd(fraction);
    if (at === fraction) return INVALID;
  }
  if (((<i32> load<u8>(at)) | 0x20) === 0x65) {
    at++;
    const sign = <i32> load<u8>(at);
    if (sign === PLUS || sign === DASH) at++;
    const end = digitsEnd(at);
    return end > at ? end : INVALID;
  }
  return at;
}

/** Returns the address after the digits that start at `from`. */
function digitsEnd(from: i32): i32 {
  let at = from;
  while (true) {
    const others = i8x16.bitmask(
      i8x16.gt_u(i8x16.sub(v128.load(at), i8x16.splat(<i8> ZERO)), i8x16.splat(9)),
    );
    if (others !== 0) return at + ctz(others);
    at += 16;
  }
}

export function isDigit(byte: i32): bool {
  return byte >= ZERO && byte <= ZERO + 9;
}

/**
 * Returns the address after the `true`, `false` or `null` that starts at `from`, or `INVALID`.
 * `first` is its first byte.
 */
export function word(from: i32, first: i32): i32 {
  const length = first === 0x66 ? 5 : 4;
  const start = load<u32>(first === 0x66 ? from + 1 : from);
  const expected: u32 = first === 0x74 ? 0x65757274 : first === 0x66 ? 0x65736c61 : 0x6c6c756e;
  return start === expected ? from + length : INVALID;
}

/** Returns the address of the first byte at or after `from` that is not white space. */
export function spaceEnd(from: i32): i32 {
  let at = from;
  while (isSpace(<i32> load<u8>(at))) at++;
  return at;
}

function isSpace(byte: i32): bool {
  return byte <= SPACE && (byte === SPACE || byte === LF || byte === CR || byte === TAB);
}
