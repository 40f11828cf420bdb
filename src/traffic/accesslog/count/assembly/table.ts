import {
  GROUP_SLOT_COUNT,
  RECORD_BYTES,
  RECORD_FIRST,
  RECORD_KEY,
  RECORD_KEY_LENGTH,
  RECORD_REQUESTS,
  RECORDS,
  RECORDS_END,
  RUN_BYTES,
  RUN_REQUESTS,
  RUN_SECOND,
  RUNS,
  RUNS_END,
  SLOT_BYTES,
  SLOT_COUNT,
  SLOTS,
  TAGS,
} from "../memory";

export let recordsTo: i32 = RECORDS + RECORD_BYTES;
/** Counts of consecutive requests in the same second; see memory.ts. */
export let runsTo: i32 = RUNS;

const MAX_RECORDS: i32 = SLOT_COUNT / 4 * 3;
const LAST_GROUP: i32 = SLOT_COUNT / GROUP_SLOT_COUNT - 1;
const MIX: u64 = 0x9e3779b97f4a7c15;
const OTHER_SEED: u64 = 0xc2b2ae3d27d4eb4f;
let records: i32 = 0;
/** Random, so that nobody can craft a log whose keys collide. */
let seed: u64 = 0;

export function clearTable(newSeed: u32): void {
  seed = <u64> newSeed * MIX;
  records = 0;
  recordsTo = RECORDS + RECORD_BYTES;
  runsTo = RUNS;
  memory.fill(TAGS, 0, SLOT_COUNT);
}

export function clearRuns(): void {
  runsTo = RUNS;
}

export function hasRoom(): bool {
  return runsTo < RUNS_END;
}

export function countSecond(second: u32): void {
  const last = runsTo - RUN_BYTES;
  if (runsTo > RUNS && load<u32>(last, RUN_SECOND) === second) {
    store<u32>(last, load<u32>(last, RUN_REQUESTS) + 1, RUN_REQUESTS);
    return;
  }
  store<u32>(runsTo, second, RUN_SECOND);
  store<u32>(runsTo, 1, RUN_REQUESTS);
  runsTo += RUN_BYTES;
}

/** Index of the free slot for the key that `findRecord` did not find. */
let freeSlot: i32 = 0;
/** One byte of the hash of the last key passed to `findRecord`. */
let tag: i32 = 0;

/** `first` is the log offset of the line. */
export function countRecord(record: i32, first: f64): void {
  store<u32>(record, load<u32>(record, RECORD_REQUESTS) + 1, RECORD_REQUESTS);
  if (first < load<f64>(record, RECORD_FIRST)) store<f64>(record, first, RECORD_FIRST);
}

/**
 * Returns the address of the record whose key is the `length` bytes at `at`, or 0 if there is none.
 */
export function findRecord(at: i32, length: i32): i32 {
  const hash = hashOf(at, length);
  // 0 is the tag of empty slots.
  tag = max(<i32> (hash >>> 24), 1);
  const tags = i8x16.splat(<i8> tag);
  let group = <i32> hash & LAST_GROUP;
  let free: i32;
  do {
    const stored = v128.load(TAGS + group * GROUP_SLOT_COUNT);
    for (let found = i8x16.bitmask(i8x16.eq(stored, tags)); found !== 0; found &= found - 1) {
      const slot = SLOTS + (group * GROUP_SLOT_COUNT + ctz(found)) * SLOT_BYTES;
      const record = RECORDS + <i32> load<u16>(slot) * RECORD_BYTES;
      if (hasKey(record, at, length)) return record;
    }
    free = i8x16.bitmask(i8x16.eq(stored, i8x16.splat(0)));
    freeSlot = group * GROUP_SLOT_COUNT + ctz(free);
    group = (group + 1) & LAST_GROUP;
  } while (free === 0);
  return 0;
}

/** Adds the key that `findRecord` did not find. Returns its record, or 0 if the table is full. */
export function addKey(at: i32, length: i32, requests: u32, first: f64): i32 {
  const record = recordsTo;
  const next = record + ((RECORD_KEY + length + RECORD_BYTES - 1) & ~(RECORD_BYTES - 1));
  if (records === MAX_RECORDS || next > RECORDS_END) return 0;
  store<u8>(TAGS + freeSlot, <u8> tag);
  store<u16>(SLOTS + freeSlot * SLOT_BYTES, <u16> ((record - RECORDS) / RECORD_BYTES));
  store<u32>(record, requests, RECORD_REQUESTS);
  // Also sets the result of the filters to `UNKNOWN`.
  store<u32>(record, <u32> length, RECORD_KEY_LENGTH);
  store<f64>(record, first, RECORD_FIRST);
  for (let i: i32 = 0; i < length; i += 16) v128.store(record + RECORD_KEY + i, v128.load(at + i));
  records++;
  recordsTo = next;
  return record;
}

function hasKey(record: i32, at: i32, length: i32): bool {
  if (<i32> load<u16>(record, RECORD_KEY_LENGTH) !== length) return false;
  let key = record + RECORD_KEY;
  let from = at;
  let left = length;
  for (; left > 32; left -= 32, from += 32, key += 32) {
    const first = v128.xor(v128.load(key), v128.load(from));
    const second = v128.xor(v128.load(key, 16), v128.load(from, 16));
    if (v128.any_true(v128.or(first, second))) return false;
  }
  const first = v128.and(v128.xor(v128.load(key), v128.load(from)), firstBytes(left));
  const second = v128.and(v128.xor(v128.load(key, 16), v128.load(from, 16)), nextBytes(left));
  return !v128.any_true(v128.or(first, second));
}

/** Mixes the four words of a 32-byte block in parallel, because most keys have at most 32 bytes. */
function hashOf(at: i32, length: i32): u32 {
  let a = seed ^ length;
  let b = seed ^ OTHER_SEED;
  let c = seed + MIX;
  let d = seed - MIX;
  let from = at;
  let left = length;
  for (; left > 32; left -= 32, from += 32) {
    a = mixed(a ^ load<u64>(from));
    b = mixed(b ^ load<u64>(from, 8));
    c = mixed(c ^ load<u64>(from, 16));
    d = mixed(d ^ load<u64>(from, 24));
  }
  const first = v128.and(v128.load(from), firstBytes(left));
  const second = v128.and(v128.load(from, 16), nextBytes(left));
  a = mixed(a ^ i64x2.extract_lane(first, 0));
  b = mixed(b ^ i64x2.extract_lane(first, 1));
  c = mixed(c ^ i64x2.extract_lane(second, 0));
  d = mixed(d ^ i64x2.extract_lane(second, 1));
  const hash = mixed(mixed(a) ^ b) ^ mixed(mixed(c) + d);
  return <u32> (hash ^ (hash >> 32));
}

/** Byte i is 0xff if i is less than `count` (at most 32). */
function firstBytes(count: i32): v128 {
  return i8x16.lt_u(
    i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    i8x16.splat(<i8> count),
  );
}

/** Byte i is 0xff if i + 16 is less than `count` (at most 32). */
function nextBytes(count: i32): v128 {
  return i8x16.lt_u(
    i8x16(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31),
    i8x16.splat(<i8> count),
  );
}

function mixed(word: u64): u64 {
  const product = word * MIX;
  return product ^ (product >> 29);
}
