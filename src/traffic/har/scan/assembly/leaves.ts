// A validating JSON parser that creates nothing but a list of the leaves that may be wanted.
import { COLON, COMMA, DASH, QUOTE, SPACE } from "../../../../base/ascii";
import {
  ESCAPED,
  LEAF_BYTES,
  LEAF_STEP_BYTES,
  LEAVES,
  LEAVES_BYTES,
  MAX_DEPTH,
  MEMBER_BYTES,
  NUMBER,
  PLAIN,
  SHAPE_BYTES,
  SHAPE_WAYS,
  SHAPES,
  STACK,
  STEP_BYTES,
} from "../leaf_addresses";
import { fillBits } from "./byte_bits";
import {
  addMember,
  beginObject,
  beginShapes,
  extendRun,
  isGap,
  matchingRun,
  NAME,
  NAME_LENGTH,
  shapeIn,
} from "./shapes";
import { INVALID, isDigit, number, spaceEnd, stopFrom, stringEnd, word } from "./syntax";
import { isWantedNumber, isWantedText } from "./wanted";

const OPEN_OBJECT: i32 = 0x7b;
const CLOSE_OBJECT: i32 = 0x7d;
const OPEN_LIST: i32 = 0x5b;
const CLOSE_LIST: i32 = 0x5d;

/** Byte offset of 1 for an object, or 0 for a list (i32), in a `STACK` entry. */
const IS_OBJECT: i32 = 4;
/** Byte offset of the address of the object or list (i32) in a `STACK` entry. */
const START: i32 = 8;
/** Byte offset of the address of the shape (i32) in a `STACK` entry. */
const SHAPE: i32 = 12;

/** Number of leaves in the list. */
export let leaves: i32 = 0;

/** End address of the list of leaves. */
let listEnd: i32 = LEAVES;
/** Start address of the value of the member that `readMember` read. */
let memberValue: i32 = 0;

/**
 * Lists the leaves of the JSON object or list at `[from, to)` that may be wanted. Overwrites the
 * bytes after it. Returns false if the text is not JSON, or exceeds a limit.
 */
export function findLeaves(from: i32, to: i32): bool {
  leaves = 0;
  listEnd = LEAVES;
  beginShapes();
  // No valid text contains this byte, so the following code needs no comparisons with `to`.
  store<u8>(to, 0);
  fillBits(from, to);
  let at = spaceEnd(from);
  let byte = <i32> load<u8>(at);
  if (byte !== OPEN_OBJECT && byte !== OPEN_LIST) return false;
  let depth = 0;
  // The entry of the current object or list. Its first two numbers are also in local variables.
  let top = STACK;
  let place = 0;
  let isObject = false;
  let shape = SHAPES - SHAPE_WAYS * SHAPE_BYTES;
  // True in the value of a member that is not in an earlier object.
  let isNew = false;
  while (true) {
    // At the start of a value.
    byte = <i32> load<u8>(at);
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (depth === MAX_DEPTH) return false;
      store<i32>(top, place);
      shape = isObject ? shapeIn(depth, place) : shape + SHAPE_WAYS * SHAPE_BYTES;
      depth++;
      top += STEP_BYTES;
      isObject = byte === OPEN_OBJECT;
      isNew = false;
      store<i32>(top + IS_OBJECT, isObject);
      store<i32>(top + START, at);
      store<i32>(top + SHAPE, shape);
      at++;
      if (isObject) place = beginObject(shape);
      else {
        place = 0;
        at = spaceEnd(at);
        if (<i32> load<u8>(at) !== CLOSE_LIST) continue;
      }
    } else {
      const start = at;
      let isWanted = false;
      if (byte === QUOTE) {
        const stop = stopFrom(at + 1);
        const isPlain = <i32> load<u8>(stop) === QUOTE;
        const end = isPlain ? stop : stringEnd(stop);
        if (end === INVALID) return false;
        at = end + 1;
        isWanted = !isPlain || isWantedText(start + 1, end);
        if (isWanted) {
          store<i32>(top, place);
          if (!list(isPlain ? PLAIN : ESCAPED, start + 1, end, depth)) return false;
        }
      } else if (byte === DASH || isDigit(byte)) {
        at = number(at);
        if (at === INVALID) return false;
        isWanted = byte !== DASH && isWantedNumber(start, at);
        if (isWanted) {
          store<i32>(top, place);
          if (!list(NUMBER, start, at, depth)) return false;
        }
      } else if (byte <= SPACE) {
        // The gap before the value has more white space than that of an earlier object.
        at = spaceEnd(at);
        if (at === start) return false;
        continue;
      } else {
        at = word(at, byte);
        if (at === INVALID) return false;
      }
      if (isNew) {
        isNew = false;
        if (!isWanted) extendRun(place, at);
      }
    }
    // After a value, or at the start of an object.
    while (true) {
      if (isObject) {
        const expected = place + MEMBER_BYTES;
        const run = matchingRun(at, expected);
        if (run !== 0) {
          place = expected;
          at += run;
          if (isGap(place, run)) break;
          // The byte after the value is part of the run.
          at--;
          continue;
        }
        const gap = at;
        at = spaceEnd(at);
        byte = <i32> load<u8>(at);
        const isFirst = place < shape;
        if (byte === (isFirst ? QUOTE : COMMA)) {
          place = readMember(gap, isFirst ? at : spaceEnd(at + 1), shape, place);
          if (place === 0) return false;
          at = memberValue;
          isNew = true;
          break;
        }
        if (byte !== CLOSE_OBJECT) return false;
      } else {
        at = spaceEnd(at);
        byte = <i32> load<u8>(at);
        if (byte === COMMA) {
          at = spaceEnd(at + 1);
          place++;
          break;
        }
        if (byte !== CLOSE_LIST) return false;
      }
      at++;
      if (--depth === 0) return spaceEnd(at) === to;
      top -= STEP_BYTES;
      place = load<i32>(top);
      isObject = load<i32>(top + IS_OBJECT) !== 0;
      shape = load<i32>(top + SHAPE);
    }
  }
}

/**
 * Reads a member name at `from`, and the colon after it. Adds the member to the shape and returns
 * its address. Returns 0 if the text is not JSON, if the name contains escapes, or if the shape
 * cannot contain it. `gap` is the end of the member before it, whose address in the shape is `last`.
 */
function readMember(gap: i32, from: i32, shape: i32, last: i32): i32 {
  if (<i32> load<u8>(from) !== QUOTE) return 0;
  const end = stopFrom(from + 1);
  if (<i32> load<u8>(end) !== QUOTE) return 0;
  const colon = spaceEnd(end + 1);
  if (<i32> load<u8>(colon) !== COLON) return 0;
  memberValue = spaceEnd(colon + 1);
  return addMember(shape, last, gap, from + 1, end - from - 1, memberValue);
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
  let at = listEnd + LEAF_BYTES;
  for (let level = 1; level <= depth; level++) {
    const step = STACK + STEP_BYTES * level;
    const place = load<i32>(step);
    const isObject = load<i32>(step + IS_OBJECT) !== 0;
    store<i32>(at, isObject ? load<i32>(place + NAME) : -1);
    store<i32>(at + 4, isObject ? load<i32>(place + NAME_LENGTH) : place);
    store<i32>(at + 8, load<i32>(step + START));
    at += LEAF_STEP_BYTES;
  }
  listEnd = at;
  leaves++;
  return true;
}
