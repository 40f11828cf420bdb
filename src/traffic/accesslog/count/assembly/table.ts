import {
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
} from "../memory";

/** End address of the endpoint records; see memory.ts. */
export let recordsTo: i32 = RECORDS + RECORD_BYTES;
/** End address of the runs; see memory.ts. */
export let runsTo: i32 = RUNS;

const MAX_RECORDS: i32 = SLOT_COUNT / 4 * 3;
const MIX: u64 = 0x9e3779b97f4a7c15;
let records: i32 = 0;
/** Random hash seed, so that nobody can craft a log whose keys collide. */
let seed: u64 = 0;

/** Clears the hash table, the endpoint records and the runs, and sets the hash seed. */
export function clearTable(newSeed: u32): void {
  seed = <u64> newSeed * MIX;
  records = 0;
  recordsTo = RECORDS + RECORD_BYTES;
  runsTo = RUNS;
  memory.fill(SLOTS, 0, SLOT_COUNT * SLOT_BYTES);
}

/** Reports whether another run fits in memory. */
export function hasRoom(): bool {
  return runsTo < RUNS_END;
}

/** Counts a request in the Unix second `second`. */
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

/** Index of the free slot for the key that `countKnown` did not find. */
let freeSlot: i32 = 0;
/** Hash bits, as stored in a slot, of the key that was last passed to `countKnown`. */
let tag: u32 = 0;

/**
 * Counts a request at log offset `first` if the table contains its key, which is the `length` bytes
 * at `at`. Returns whether the table contains the key.
 */
export function countKnown(at: i32, length: i32, first: f64): bool {
  const record = findRecord(at, length);
  if (record === 0) return false;
  store<u32>(record, load<u32>(record, RECORD_REQUESTS) + 1, RECORD_REQUESTS);
  if (first < load<f64>(record, RECORD_FIRST)) store<f64>(record, first, RECORD_FIRST);
  return true;
}

/**
 * Returns the address of the record whose key is the `length` bytes at `at`, or 0 if there is none.
 */
export function findRecord(at: i32, length: i32): i32 {
  const hash = hashOf(at, length);
  let slot = hash & (SLOT_COUNT - 1);
  tag = <u32> hash & 0xffff0000;
  for (let entry: u32; (entry = load<u32>(SLOTS + slot * SLOT_BYTES)) !== 0;) {
    const record = RECORDS + <i32> (entry & 0xffff) * RECORD_BYTES;
    if ((entry & 0xffff0000) === tag && hasKey(record, at, length)) return record;
    slot = (slot + 1) & (SLOT_COUNT - 1);
  }
  freeSlot = slot;
  return 0;
}

/**
 * Adds the key that `findRecord` or `countKnown` did not find, with `requests` requests, the first of
 * them at log offset `first`. Returns the address of its record, or 0 if the table is full.
 */
export function addKey(at: i32, length: i32, requests: u32, first: f64): i32 {
  const record = recordsTo;
  const next = record + ((RECORD_KEY + length + RECORD_BYTES - 1) & ~(RECORD_BYTES - 1));
  if (records === MAX_RECORDS || next > RECORDS_END) return 0;
  store<u32>(SLOTS + freeSlot * SLOT_BYTES, tag | <u32> ((record - RECORDS) / RECORD_BYTES));
  store<u32>(record, requests, RECORD_REQUESTS);
  store<u32>(record, <u32> length, RECORD_KEY_LENGTH);
  store<f64>(record, first, RECORD_FIRST);
  for (let i: i32 = 0; i < length; i += 16) v128.store(record + RECORD_KEY + i, v128.load(at + i));
  records++;
  recordsTo = next;
  return record;
}

/** Reports whether the key of `record` equals the `length` bytes at `at`. */
function hasKey(record: i32, at: i32, length: i32): bool {
  if (load<u32>(record, RECORD_KEY_LENGTH) !== <u32> length) return false;
  let key = record + RECORD_KEY;
  let from = at;
  for (const last = at + length - 16; from <= last; from += 16, key += 16) {
    if (v128.any_true(v128.xor(v128.load(key), v128.load(from)))) return false;
  }
  const rest = i8x16.bitmask(i8x16.ne(v128.load(key), v128.load(from)));
  return (rest & ((1 << (at + length - from)) - 1)) === 0;
}

function hashOf(at: i32, length: i32): i32 {
  let hash = seed ^ length;
  let from = at;
  for (const last = at + length - 8; from <= last; from += 8) {
    hash = mixed(hash ^ load<u64>(from));
  }
  const rest = load<u64>(from) & (((<u64> 1) << ((at + length - from) << 3)) - 1);
  hash = mixed(hash ^ rest);
  return <i32> (hash ^ (hash >> 32));
}

function mixed(word: u64): u64 {
  const product = word * MIX;
  return product ^ (product >> 29);
}
