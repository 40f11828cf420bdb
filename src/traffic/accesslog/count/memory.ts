// Byte offsets in the memory that `LineCounter` shares with the program in assembly/, which is compiled
// with this file:
//
//   0x000000  AssemblyScript's own data
//   0x000e00  FOUND        member of a JSON object, per kind of column
//                            +0  start (u32)
//                            +4  end (u32)
//   0x000ef0  ID_LENGTH    length of the id placeholder (u32)
//   0x000f00  ID           text of the id placeholder
//   0x001000  COLUMNS      up to 64 columns of 48 bytes
//                            +0  kind (u8)
//                            +1  length of the delimiter (u8)
//                            +2  first byte of the delimiter; LF at the end of the line (u8)
//                            +3  minimum length of a word, or number of member columns (u8)
//                            +16 delimiter, or name of a JSON member (16 bytes)
//                            +32 mask of the delimiter (16 bytes)
//   0x001f00  DAY          text of the current date (16 bytes), mask (16 bytes)
//   0x001f20  ZONE         text of the current zone (16 bytes), mask (16 bytes)
//   0x002000  INPUT        whole lines, 256 KiB, then slack for reads past the end
//   0x043000  JOINED       a key assembled from separate fields
//   0x044000  REPLACED     a key with its ids replaced
//   0x050000  RUNS         consecutive requests in the same second
//                            +0  second (u32)
//                            +4  requests (u32)
//   0x070000  SLOTS        hash table, 0x4000 entries
//                            +0  record index (u16); 0 if the slot is empty
//                            +2  16 bits of the hash (u16)
//   0x080000  RECORDS      endpoints, at multiples of 32 bytes; index 0 is unused
//                            +0  requests (u32)
//                            +4  length of the key in bytes (u32)
//                            +8  log offset of the first line (f64)
//                            +16 key (bytes of `METHOD route`)
//   0x280000  RECORDS_END  then 64 KiB of slack

/**
 * Address of the JSON members that were found: start and end offset (u32 each) for each kind of column,
 * or 0 if the line has no such member.
 */
export const FOUND = 0x0e00;
/** Size of the `FOUND` area in bytes. */
export const FOUND_BYTES = 128;

/** Address of the length of the id placeholder (u32). */
export const ID_LENGTH = 0x0ef0;
/** Address of the text of the id placeholder. */
export const ID = 0x0f00;

/** Address of the columns that describe the layout of the lines. */
export const COLUMNS = 0x1000;
/** Size of a column in bytes. */
export const COLUMN_BYTES = 48;
/** Maximum number of columns. */
export const MAX_COLUMNS = 64;

/** Address of the text of the current date and its mask (16 bytes each). */
export const DAY = 0x1f00;
/** Address of the text of the current zone and its mask (16 bytes each). */
export const ZONE = 0x1f20;

/** Address of the input: whole lines, followed by slack for reads past the end. */
export const INPUT = 0x2000;
/** Maximum size of the input in bytes (256 KiB). */
export const INPUT_BYTES = 0x40000;

/**
 * Address of a buffer for a key assembled from separate fields, if the input does not contain it in one
 * piece.
 */
export const JOINED = 0x43000;
/** Address of a buffer for a key in which ids were replaced. */
export const REPLACED = 0x44000;

/** Address of the runs. A run is a second and the number of consecutive requests in it (u32 each). */
export const RUNS = 0x50000;
/** Size of a run in bytes. */
export const RUN_BYTES = 8;
/** End address of the runs. */
export const RUNS_END = 0x70000;

/**
 * Address of the hash table, which uses open addressing. A slot has 32 bits: the upper half contains
 * bits of the hash, the lower half a record index in units of `RECORD_BYTES`, or 0 if the slot is
 * empty. Slots are this small so that the table stays in the processor's cache.
 */
export const SLOTS = 0x70000;
/** Number of slots in the hash table. */
export const SLOT_COUNT = 0x4000;

/** Address of the endpoint records, each at a multiple of `RECORD_BYTES`. Index 0 is unused. */
export const RECORDS = 0x80000;
/** Alignment of records in bytes, and unit of the record index. */
export const RECORD_BYTES = 32;
/** Byte offset of the key within a record. */
export const KEY = 16;
/** End address of the records: a 16-bit record index cannot address more. 64 KiB of slack follow. */
export const RECORDS_END = 0x280000;
