import { FEW_NAMES, MAX_NAMES, NAME_BYTES, NAMES, NAMES_POWER } from "../leaf_addresses";
import { textHash } from "./text_hash";

/** Byte offset of the number that identifies the object (i32) in a `STACK` entry. */
const OBJECT = 8;
/** Byte offset of the number of names in the object (i32) in a `STACK` entry. */
const COUNT = 12;
/** Byte offset of the filter for the object's names (u64) in a `STACK` entry. */
const FILTER = 16;
/**
 * Byte offset of the first names in a `STACK` entry. Each name has an address and a length (i32).
 */
const FEW = 24;

/** Number that was assigned to the last object. */
let objects: i32 = 0;
/** Number of the first object of the current text. */
let first: i32 = 0;
/** Number of names in the table. */
let inTable: i32 = 0;

/** Forgets the names of all JSON objects. Called before each JSON text is scanned. */
export function beginNames(): void {
  first = objects + 1;
  inTable = 0;
}

/** Prepares the `STACK` entry at address `entry` for an object whose names are not read yet. */
export function beginObject(entry: i32): void {
  store<i32>(entry + OBJECT, ++objects);
  store<i32>(entry + COUNT, 0);
  store<u64>(entry + FILTER, 0);
}

/**
 * Adds the name at `[from, to)` to the object whose `STACK` entry is at address `entry`. Returns
 * false if the object already has this name, or if the table of names is full.
 */
export function addName(entry: i32, from: i32, to: i32): bool {
  const count = load<i32>(entry + COUNT);
  store<i32>(entry + COUNT, count + 1);
  if (count >= FEW_NAMES) {
    if (count === FEW_NAMES && !moveToTable(entry)) return false;
    return addToTable(load<i32>(entry + OBJECT), from, to);
  }
  const length = to - from;
  const mark = length + 5 * <i32> load<u8>(from) + 3 * <i32> load<u8>(to - 1);
  const bit = <u64> 1 << (mark & 63);
  const filter = load<u64>(entry + FILTER);
  const end = entry + FEW + 8 * count;
  if ((filter & bit) !== 0) {
    for (let at = entry + FEW; at < end; at += 8) {
      if (load<i32>(at + 4) === length && same(load<i32>(at), from, length)) return false;
    }
  }
  store<u64>(entry + FILTER, filter | bit);
  store<i32>(end, from);
  store<i32>(end + 4, length);
  return true;
}

function moveToTable(entry: i32): bool {
  const object = load<i32>(entry + OBJECT);
  for (let i = 0; i < FEW_NAMES; i++) {
    const name = load<i32>(entry + FEW + 8 * i);
    if (!addToTable(object, name, name + load<i32>(entry + FEW + 8 * i + 4))) return false;
  }
  return true;
}

function addToTable(object: i32, from: i32, to: i32): bool {
  if (++inTable > MAX_NAMES) return false;
  const length = to - from;
  let slot = textHash(from, to, NAMES_POWER) + object * 0x9e35;
  while (true) {
    const entry = NAMES + NAME_BYTES * (slot & ((1 << NAMES_POWER) - 1));
    const owner = load<i32>(entry);
    // Entries of earlier strings are free.
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

/** Reports whether `length` bytes at the addresses `a` and `b` are equal. */
export function same(a: i32, b: i32, length: i32): bool {
  let at = 0;
  for (; at + 8 <= length; at += 8) if (load<u64>(a + at) !== load<u64>(b + at)) return false;
  for (; at < length; at++) if (load<u8>(a + at) !== load<u8>(b + at)) return false;
  return true;
}
