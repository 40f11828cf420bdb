// Predicts the members of an object from those of the object before it, because the objects in a
// list mostly have the same names in the same order. The text between two values, or before the
// first value, is a gap: a comma, white space, a name and a colon. If a gap equals that of the
// earlier object, the scanner neither reads the name nor checks whether the object repeats it.
import {
  FEW_NAMES,
  MEMBER_BYTES,
  MEMBERS,
  SHAPE_BYTES,
  SHAPE_WAYS,
  SHAPES,
} from "../leaf_addresses";
import { addToTable, beginNames, nextObject, same } from "./names";

/** Byte offset of the number of the text (i32) in an entry of the table of shapes. */
const TEXT: i32 = 0;
/**
 * Byte offset of the number of the current object in the table of names (i32) in an entry of the
 * table of shapes. Only set for an object with more than `FEW_NAMES` members.
 */
const OBJECT: i32 = 4;

/** Byte offset of the address of a member's gap (i32) in the member. */
const GAP: i32 = 0;
/**
 * Byte offset of the length of a member's run (i32) in the member. A run is the gap, or the gap,
 * the value and the byte after it if all objects so far had the same value, which is not wanted.
 * 0 if there is no such member.
 */
const RUN: i32 = 4;
/** Byte offset of the length of a member's gap (i32) in the member. */
const GAP_LENGTH: i32 = 8;
/** Byte offset of the address of a member's name (i32) in the member. */
export const NAME: i32 = 12;
/** Byte offset of the length of a member's name (i32) in the member. */
export const NAME_LENGTH: i32 = 16;
/** Byte offset of the filter for the names up to a member (u64) in the member. */
const FILTER: i32 = 24;

/** Number of the current text. */
let text: i32 = 0;

/** Forgets the members of all JSON objects. Called before each JSON text is scanned. */
export function beginShapes(): void {
  text++;
  beginNames();
}

/**
 * Returns the address of the shape for an object or a list that is the value of `member`. `depth`
 * is the number of objects and lists around it.
 */
export function shapeIn(depth: i32, member: i32): i32 {
  const way = <i32> (<u32> member / MEMBER_BYTES) & (SHAPE_WAYS - 1);
  return SHAPES + (SHAPE_WAYS * depth + way) * SHAPE_BYTES;
}

/** Prepares a shape for an object. Returns the address before its first member. */
export function beginObject(shape: i32): i32 {
  if (load<i32>(shape + TEXT) !== text) {
    store<i32>(shape + TEXT, text);
    store<i32>(shape + MEMBERS + RUN, 0);
  }
  return shape + MEMBERS - MEMBER_BYTES;
}

/**
 * Compares the text at `at` with the run of the expected member. Returns the length of the run, or
 * of the gap, if they are equal. Otherwise returns 0.
 */
export function matchingRun(at: i32, member: i32): i32 {
  const header = load<u64>(member);
  const run = <i32> (header >> 32);
  if (run === 0 || same(<i32> header, at, run)) return run;
  const gap = load<i32>(member + GAP_LENGTH);
  if (run === gap || !same(<i32> header, at, gap)) return 0;
  store<i32>(member + RUN, gap);
  return gap;
}

/** Reports whether a matching run of `length` bytes is only the gap of the member. */
export function isGap(member: i32, length: i32): bool {
  return load<i32>(member + GAP_LENGTH) === length;
}

/** Adds the value, which ends at `at` and is not wanted, to the run of a member. */
export function extendRun(member: i32, at: i32): void {
  if (load<i32>(member + RUN) !== 0) store<i32>(member + RUN, at + 1 - load<i32>(member + GAP));
}

/**
 * Adds a member to the current object. `last` is the member before it, `gap` and `value` are the
 * start addresses of its gap and its value, and `name` and `length` describe its name. Returns the
 * address of the member, or 0 if the object already has this name, or if the table of names is
 * full.
 */
export function addMember(
  shape: i32,
  last: i32,
  gap: i32,
  name: i32,
  length: i32,
  value: i32,
): i32 {
  const first = shape + MEMBERS;
  const other = first + FEW_NAMES * MEMBER_BYTES;
  const member = min<i32>(last + MEMBER_BYTES, other);
  store<i32>(member + NAME, name);
  store<i32>(member + NAME_LENGTH, length);
  if (member === other) {
    if (last !== other && !moveToTable(shape)) return 0;
    return addToTable(load<i32>(shape + OBJECT), name, length) ? member : 0;
  }
  const mark = length + 5 * <i32> load<u8>(name) + 3 * <i32> load<u8>(name + length - 1);
  const bit = <u64> 1 << (mark & 63);
  const filter = member > first ? load<u64>(last + FILTER) : 0;
  if ((filter & bit) !== 0) {
    for (let at = first; at < member; at += MEMBER_BYTES) {
      if (load<i32>(at + NAME_LENGTH) === length && same(load<i32>(at + NAME), name, length)) {
        return 0;
      }
    }
  }
  store<i32>(member + GAP, gap);
  store<i32>(member + RUN, value - gap);
  store<i32>(member + GAP_LENGTH, value - gap);
  store<u64>(member + FILTER, filter | bit);
  store<i32>(member + MEMBER_BYTES + RUN, 0);
  return member;
}

/** Adds the names of an object to the table of names, because its shape has no room for more. */
function moveToTable(shape: i32): bool {
  const object = nextObject();
  store<i32>(shape + OBJECT, object);
  for (let i = 0; i < FEW_NAMES; i++) {
    const member = shape + MEMBERS + MEMBER_BYTES * i;
    if (!addToTable(object, load<i32>(member + NAME), load<i32>(member + NAME_LENGTH))) {
      return false;
    }
  }
  return true;
}
