// A validating JSON parser that creates nothing but a list of the leaves that may be wanted.
import {
  BACKSLASH,
  COLON,
  COMMA,
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
import {
  BEYOND_LIMIT,
  ESCAPED,
  IS_JSON,
  LEAF_BYTES,
  LEAF_STEP_BYTES,
  LEAVES,
  LEAVES_BYTES,
  MAX_DEPTH,
  NOT_JSON,
  NUMBER,
  PLAIN,
  STACK,
  STEP_BYTES,
  STEP_START,
} from "../leaf_addresses";
import { addName, beginNames, beginObject } from "./names";
import { beginTexts, isWantedNumber, isWantedText } from "./wanted";

const OPEN_OBJECT: i32 = 0x7b;
const CLOSE_OBJECT: i32 = 0x7d;
const OPEN_LIST: i32 = 0x5b;
const CLOSE_LIST: i32 = 0x5d;
/** Value that functions return instead of an address if the text is not valid JSON. */
const INVALID: i32 = -1;

/** Number of leaves in the list. */
export let leaves: i32 = 0;

/** End address of the list of leaves. */
let listEnd: i32 = LEAVES;
/** True if the last string contains escapes. */
let hasEscapes: bool = false;

/**
 * Lists the leaves of the JSON object or list at `[from, to)` that may be wanted. Returns a result
 * code.
 */
export function findLeaves(from: i32, to: i32): i32 {
  leaves = 0;
  listEnd = LEAVES;
  beginNames();
  beginTexts();
  let depth = 0;
  let at = spaceEnd(from, to);
  // The entry of the current object or list.
  let top = STACK - STEP_BYTES;
  let isObject = false;
  while (at < to) {
    // At the start of a value.
    let byte = <i32> load<u8>(at);
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > MAX_DEPTH) return BEYOND_LIMIT;
      top += STEP_BYTES;
      isObject = byte === OPEN_OBJECT;
      store<i32>(top + STEP_START, at);
      at = spaceEnd(at + 1, to);
      if (at >= to) return NOT_JSON;
      store<i32>(top, isObject ? 0 : -1);
      store<i32>(top + 4, 0);
      if (isObject) beginObject(top);
      const isEmpty = <i32> load<u8>(at) === (isObject ? CLOSE_OBJECT : CLOSE_LIST);
      if (!isEmpty) {
        if (isObject && (at = name(at, to, top)) < 0) return -at;
        continue;
      }
    } else if (depth === 0) {
      return NOT_JSON;
    } else if (byte === QUOTE) {
      const end = string(at + 1, to);
      if (end === INVALID) return NOT_JSON;
      if (hasEscapes || isWantedText(at + 1, end - 1)) {
        if (!list(hasEscapes ? ESCAPED : PLAIN, at + 1, end - 1, depth)) return BEYOND_LIMIT;
      }
      at = end;
    } else if (byte === DASH || isDigit(byte)) {
      const end = number(at, to);
      if (end === INVALID) return NOT_JSON;
      if (byte !== DASH && isWantedNumber(at, end) && !list(NUMBER, at, end, depth)) {
        return BEYOND_LIMIT;
      }
      at = end;
    } else {
      at = word(at, to, byte);
      if (at === INVALID) return NOT_JSON;
    }
    // After a value.
    while (true) {
      at = spaceEnd(at, to);
      if (at >= to) return NOT_JSON;
      byte = <i32> load<u8>(at++);
      if (byte === COMMA) {
        at = spaceEnd(at, to);
        if (isObject) {
          if ((at = name(at, to, top)) < 0) return -at;
        } else store<i32>(top + 4, load<i32>(top + 4) + 1);
        break;
      }
      if (byte !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) return NOT_JSON;
      top -= STEP_BYTES;
      if (--depth === 0) return spaceEnd(at, to) === to ? IS_JSON : NOT_JSON;
      isObject = load<i32>(top) !== -1;
    }
  }
  return NOT_JSON;
}

/**
 * Reads a member name and the colon after it. Stores the name in `top`, the entry of its object in
 * `STACK`. Returns the address of the member's value, or a negated result code, such as
 * `-NOT_JSON`.
 */
function name(from: i32, to: i32, top: i32): i32 {
  if (from >= to || <i32> load<u8>(from) !== QUOTE) return -NOT_JSON;
  const end = string(from + 1, to);
  if (end === INVALID) return -NOT_JSON;
  if (hasEscapes || !addName(top, from + 1, end - 1)) return -BEYOND_LIMIT;
  store<i32>(top, from + 1);
  store<i32>(top + 4, end - from - 2);
  const colon = spaceEnd(end, to);
  if (colon >= to || <i32> load<u8>(colon) !== COLON) return -NOT_JSON;
  const value = spaceEnd(colon + 1, to);
  return value < to ? value : -NOT_JSON;
}

/** Adds a leaf to the list. Returns false if the list is full. */
function list(kind: i32, from: i32, to: i32, depth: i32): bool {
  const bytes = LEAF_BYTES + LEAF_STEP_BYTES * depth;
  if (listEnd + bytes > LEAVES + LEAVES_BYTES) return false;
  store<i32>(listEnd, bytes);
  store<i32>(listEnd + 4, kind);
  store<i32>(listEnd + 8, from);
  store<i32>(listEnd + 12, to);
  store<i32>(listEnd + 16, depth);
  for (let level = 0; level < depth; level++) {
    const step = STACK + STEP_BYTES * level;
    const to = listEnd + LEAF_BYTES + LEAF_STEP_BYTES * level;
    store<u64>(to, load<u64>(step));
    store<i32>(to + 8, load<i32>(step + STEP_START));
  }
  listEnd += bytes;
  leaves++;
  return true;
}

/**
 * Returns the address after the quotation mark that ends the string whose content starts at `from`,
 * or `INVALID`. Sets `hasEscapes`.
 */
function string(from: i32, to: i32): i32 {
  hasEscapes = false;
  let at = from;
  while (at < to) {
    const bytes = v128.load(at);
    const stops = i8x16.bitmask(
      v128.or(
        v128.or(
          i8x16.eq(bytes, i8x16.splat(<i8> QUOTE)),
          i8x16.eq(bytes, i8x16.splat(<i8> BACKSLASH)),
        ),
        i8x16.lt_u(bytes, i8x16.splat(<i8> SPACE)),
      ),
    );
    if (stops === 0) {
      at += 16;
      continue;
    }
    at += ctz(stops);
    if (at >= to) return INVALID;
    const byte = <i32> load<u8>(at++);
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) return INVALID;
    hasEscapes = true;
    at = escapeEnd(at, to);
    if (at === INVALID) return INVALID;
  }
  return INVALID;
}

/**
 * Returns the address after the escape sequence whose backslash is directly before `from`, or
 * `INVALID`.
 */
function escapeEnd(from: i32, to: i32): i32 {
  if (from >= to) return INVALID;
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
  if (from + 5 > to) return INVALID;
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
function number(from: i32, to: i32): i32 {
  let at = from;
  if (<i32> load<u8>(at) === DASH) at++;
  if (at < to && <i32> load<u8>(at) === ZERO) at++;
  else if ((at = digitsEnd(at, to)) === INVALID) return INVALID;
  if (at < to && <i32> load<u8>(at) === DOT && (at = digitsEnd(at + 1, to)) === INVALID) {
    return INVALID;
  }
  if (at < to && ((<i32> load<u8>(at)) | 0x20) === 0x65) {
    at++;
    const sign = <i32> load<u8>(at);
    if (sign === PLUS || sign === DASH) at++;
    return digitsEnd(at, to);
  }
  return at;
}

/** Returns the address after the digits that start at `from`, or `INVALID` if no digit is there. */
function digitsEnd(from: i32, to: i32): i32 {
  let at = from;
  while (at < to && isDigit(<i32> load<u8>(at))) at++;
  return at > from ? at : INVALID;
}

function isDigit(byte: i32): bool {
  return byte >= ZERO && byte <= ZERO + 9;
}

/**
 * Returns the address after the `true`, `false` or `null` that starts at `from`, or `INVALID`.
 * `first` is its first byte.
 */
function word(from: i32, to: i32, first: i32): i32 {
  const length = first === 0x66 ? 5 : 4;
  if (from + length > to) return INVALID;
  const start = load<u32>(first === 0x66 ? from + 1 : from);
  const expected: u32 = first === 0x74 ? 0x65757274 : first === 0x66 ? 0x65736c61 : 0x6c6c756e;
  return start === expected ? from + length : INVALID;
}

/** Returns the address of the first byte at or after `from` that is not white space, or `to`. */
function spaceEnd(from: i32, to: i32): i32 {
  let at = from;
  while (at < to) {
    const byte = <i32> load<u8>(at);
    if (byte > SPACE || (byte !== SPACE && byte !== LF && byte !== CR && byte !== TAB)) return at;
    at++;
  }
  return to;
}
