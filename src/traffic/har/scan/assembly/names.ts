// The table of the names in objects with many members, which finds repeated names.
import { MAX_NAMES, NAME_BYTES, NAMES, NAMES_POWER } from "../leaf_addresses";
import { textHash } from "./text_hash";

/** Number that was assigned to the last object. */
let objects: i32 = 0;
/** Number of the first object of the current text. */
let first: i32 = 0;
/** Number of names in the table. */
let inTable: i32 = 0;

/** Empties the table. Called before each JSON text is scanned. */
export function beginNames(): void {
  first = objects + 1;
  inTable = 0;
}

/** Assigns a number to an object whose names will be added. */
export function nextObject(): i32 {
  return ++objects;
}

/**
 * Adds the name of `length` bytes at `from` to the object with the number `object`. Returns false if
 * the object already has this name, or if the table is full.
 */
export function addToTable(object: i32, from: i32, length: i32): bool {
  if (++inTable > MAX_NAMES) return false;
  let slot = textHash(from, from + length, NAMES_POWER) + object * 0x9e35;
  while (true) {
    const entry = NAMES + NAME_BYTES * (slot & ((1 << NAMES_POWER) - 1));
    const owner = load<i32>(entry);
    // Entries of earlier texts are free.
    if (owner < first) {
      store<i32>(entry, object);
      store<i32>(entry + 4, from);
      store<i32>(entry + 8, length);
      return true;
    }
    if (
      owner === object && load<i32>(entry + 8) === length &&
      same(load<i32>(entry + 4), from, length)
    ) {
      return false;
    }
    slot++;
  }
}

/**
 * Reports whether `length` bytes at the addresses `a` and `b` are equal. Reads up to 15 bytes after
 * them.
 */
export function same(a: i32, b: i32, length: i32): bool {
  let at = 0;
  while (true) {
    const equal = ctz(~i8x16.bitmask(i8x16.eq(v128.load(a + at), v128.load(b + at))));
    if (at + equal >= length) return true;
    if (equal < 16) return false;
    at += 16;
  }
}
