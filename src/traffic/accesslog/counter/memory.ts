// The memory that `LineCounter` shares with the program in assembly/, which is compiled with this file:
// where things stand in it, in bytes.

/** Where in a JSON object each kind of column was found, and where it ends: 32 bits each, 0 for none. */
export const FOUND = 0x0e00;
/** Bytes of that. */
export const FOUND_BYTES = 128;

/** How many bytes stand for an id, 32 bits; and they. */
export const ID_LENGTH = 0x0ef0;
/** See `ID_LENGTH`. */
export const ID = 0x0f00;

/**
 * How the lines are written, column by column. A column: its kind, the length of the text behind it,
 * the first byte of that (LF where the line ends), and how many bytes it has at least, one byte each;
 * 16 bytes on, the text behind it and a mask of that, 16 bytes each. Of members of a JSON object, the
 * text is the name, and of an object the last byte is how many columns are its members.
 */
export const COLUMNS = 0x1000;
/** Bytes of a column. */
export const COLUMN_BYTES = 48;
/** How many there can be. */
export const MOST_COLUMNS = 64;

/** The text of a day, and a mask of that, 16 bytes each. */
export const DAY = 0x1f00;
/** The same of the zone behind the time. */
export const ZONE = 0x1f20;

/** Whole lines; there is room behind them for those who read too far. */
export const INPUT = 0x2000;
/** How long they can be. */
export const INPUT_BYTES = 0x40000;

/** A key that was put together, as it stands nowhere in the input. */
export const JOINED = 0x43000;
/** A key whose ids were replaced. */
export const REPLACED = 0x44000;

/** Seconds and the requests in each: two numbers of 32 bits a run. */
export const RUNS = 0x50000;
/** Bytes of a run. */
export const RUN_BYTES = 8;
/** Where the runs end. */
export const RUNS_END = 0x70000;

/**
 * Open addressing, 32 bits a slot: half of them of the hash, half of them the record, counted in
 * `RECORD_BYTES` from `RECORDS`, or 0. So small, they stay in the processor's cache.
 */
export const SLOTS = 0x70000;
/** How many there are. */
export const SLOT_COUNT = 0x4000;

/**
 * One record behind the other, none at 0: how often its key was counted and how long that is, two
 * numbers of 32 bits; where it was met first, a float of 64; the key. Each starts at a multiple of
 * `RECORD_BYTES`.
 */
export const RECORDS = 0x80000;
/** See `RECORDS`. */
export const RECORD_BYTES = 32;
/** Where in a record the key starts. */
export const KEY = 16;
/** Where they end: a half of a slot can tell so many. The memory has 64 KiB more. */
export const RECORDS_END = 0x280000;
