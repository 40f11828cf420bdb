// The memory that `LineCounter` shares with the program in assembly/: addresses of its areas, and
// byte offsets of the fields in each kind of record. Both sides are compiled with this file.
// README.md contains a map, and a test compares it with these constants.

/**
 * Address of the list of members that were found in a JSON object. It has one entry for each kind
 * of column. An entry contains only zeros if the line has no such member.
 */
export const FOUND = 0x0e00;
/** Size of the `FOUND` area in bytes. */
export const FOUND_BYTES = 128;
/** Size, in bytes, of an entry in the `FOUND` area. */
export const FOUND_ENTRY_BYTES = 8;
/** Offset, in an entry of the `FOUND` area, of the start address of the member's value (u32). */
export const FOUND_FROM = 0;
/** Offset, in an entry of the `FOUND` area, of the end address of the member's value (u32). */
export const FOUND_TO = 4;

/** Address of the length of the id placeholder in bytes (u32). */
export const ID_LENGTH = 0x0ef0;
/** Address of the bytes of the id placeholder. */
export const ID = 0x0f00;

/**
 * Maximum length, in bytes, of a string that is stored with a mask, such as a delimiter or a date.
 */
export const TEXT_BYTES = 16;
/**
 * Offset of the mask from the start of its string. The mask has `TEXT_BYTES` bytes: 0xff for each
 * byte of the string, and 0 for the rest.
 */
export const TEXT_MASK = 16;
/** Total size of a string and its mask in bytes: 16 for each. */
export const MASKED_TEXT_BYTES = 32;

/** Address of the columns that describe the layout of the lines. */
export const COLUMNS = 0x1000;
/** Size of a column in bytes. */
export const COLUMN_BYTES = 48;
/** Maximum number of columns. */
export const MAX_COLUMNS = 64;
/** Offset, in a column, of its kind, a constant from column_kinds.ts (u8). */
export const COLUMN_KIND = 0;
/** Offset, in a column, of the length of its delimiter in bytes (u8). */
export const COLUMN_DELIMITER_LENGTH = 1;
/**
 * Offset, in a column, of the first byte of its delimiter (u8), which is LF at the end of the line.
 */
export const COLUMN_STOP = 2;
/** Offset, in a column, of the minimum length of a word in bytes (u8). */
export const COLUMN_MIN_LENGTH = 3;
/**
 * Offset, in a column of kind `JSON` or `OBJECT`, of the number of columns after it that describe
 * the members of the object (u8).
 */
export const COLUMN_MEMBERS = 4;
/** Offset, in a column, of its delimiter or the name of a JSON member, followed by a mask. */
export const COLUMN_DELIMITER = 16;

/**
 * Address of the date in the log lines that are being counted (see `DayText`), followed by its
 * mask.
 */
export const DAY = 0x1f00;
/**
 * Address of the time zone in the log lines that are being counted (see `DayText`), followed by its
 * mask.
 */
export const ZONE = 0x1f20;

/** Address of the input: whole log lines, followed by slack for reads past the last line. */
export const INPUT = 0x2000;
/** Maximum size of the input in bytes (256 KiB). */
export const INPUT_BYTES = 0x40000;

/**
 * Address of a buffer for an endpoint key (`METHOD route`) that is assembled from separate fields,
 * because the input does not contain it in one piece.
 */
export const JOINED = 0x43000;
/**
 * Address of a buffer for an endpoint key (`METHOD route`) in which placeholders have replaced the
 * ids.
 */
export const REPLACED = 0x44000;

/** Address of the filter results for each status, one byte each; see filter_scopes.ts. */
export const STATUS_RESULTS = 0x4c000;
/** Number of entries in the filter results: one for each status from 0 (no status) to 999. */
export const STATUS_COUNT = 1000;
/**
 * Address of the numbers of requests that each filter dropped (u32). Filters are numbered from 1.
 */
export const DROPPED = 0x4c400;
/** Size of the `DROPPED` area in bytes. */
export const DROPPED_BYTES = 1024;

/** Address of the runs. A run counts consecutive requests in the same second. */
export const RUNS = 0x50000;
/** End address of the runs (see `RUNS`). */
export const RUNS_END = 0x70000;
/** Size, in bytes, of an entry in the `RUNS` area. */
export const RUN_BYTES = 8;
/** Offset, in a run, of the Unix second of its requests (u32). */
export const RUN_SECOND = 0;
/** Offset, in a run, of the number of requests (u32). */
export const RUN_REQUESTS = 4;

/**
 * Address of the tags of the hash table: one byte for each slot, which contains bits of the hash,
 * or 0 if the slot is empty. A lookup compares the tags of a group of `GROUP_SLOT_COUNT` slots at
 * once.
 */
export const TAGS = 0x70000;
/**
 * Address of the slots of the hash table. A slot contains the index of a record in units of
 * `RECORD_BYTES` (u16). Slots and tags are small so that they stay in the processor's cache.
 */
export const SLOTS = 0x74000;
/** Number of slots in the hash table. */
export const SLOT_COUNT = 0x4000;
/** Number of hash table slots in a group, whose tags a lookup compares at once. */
export const GROUP_SLOT_COUNT = 16;
/** Size of a hash table slot in bytes. */
export const SLOT_BYTES = 2;

/**
 * Address of the endpoint records, each of which starts at a multiple of `RECORD_BYTES`. Index 0 is
 * unused.
 */
export const RECORDS = 0x80000;
/**
 * End address of the endpoint records. A 16-bit record index cannot refer to a higher address. 64
 * KiB of slack follow.
 */
export const RECORDS_END = 0x280000;
/** Alignment of endpoint records in bytes, which is also the unit of a record index. */
export const RECORD_BYTES = 32;
/** Offset, in an endpoint record, of the number of requests (u32). */
export const RECORD_REQUESTS = 0;
/** Offset, in an endpoint record, of the length of the key in bytes (u16). */
export const RECORD_KEY_LENGTH = 4;
/** Offset, in an endpoint record, of the result of the filters; see filter_scopes.ts (u8). */
export const RECORD_RESULT = 6;
/** Offset, in an endpoint record, of the log offset of the first line with this key (f64). */
export const RECORD_FIRST = 8;
/** Offset, in an endpoint record, of the bytes of the key, `METHOD route`. */
export const RECORD_KEY = 16;

/**
 * Address of the listed requests, which the function `select` in counter.ts writes, one after
 * another. They start after the slack of the endpoint records.
 */
export const LISTED = 0x290000;
/** End address of the listed requests. */
export const LISTED_END = 0x2d0000;
/** Size of a listed request in bytes. */
export const LISTED_BYTES = 64;
/** Offset, in a listed request, of the address of its line (u32). */
export const LISTED_LINE = 0;
/** Offset, in a listed request, of the address of its endpoint's record (u32). */
export const LISTED_RECORD = 4;
/** Offset, in a listed request, of its time in Unix seconds (u32). */
export const LISTED_SECOND = 8;
/** Offset, in a listed request, of its HTTP status (u32), which is 0 if the line has none. */
export const LISTED_STATUS = 12;
/** Offset, in a listed request, of the flags `MASK_HAS_QUERY` and `MASK_HAS_ID` (u32). */
export const LISTED_FLAGS = 16;
/** Offset, in a listed request, of the start address of its method (u32). */
export const LISTED_METHOD = 20;
/** Offset, in a listed request, of the end address of its method (u32). */
export const LISTED_METHOD_TO = 24;
/** Offset, in a listed request, of the start address of its path (u32). */
export const LISTED_PATH = 28;
/** Offset, in a listed request, of the end address of its path (u32). */
export const LISTED_PATH_TO = 32;
/** Offset, in a listed request, of the end address of its target, including the query (u32). */
export const LISTED_TARGET_TO = 36;
/** Offset, in a listed request, of the start address of the client field (u32). */
export const LISTED_CLIENT = 40;
/** Offset, in a listed request, of the end address of the client field (u32). */
export const LISTED_CLIENT_TO = 44;
/**
 * Offset, in a listed request, of the start address of the user agent (u32), which is 0 if the line
 * has none.
 */
export const LISTED_AGENT = 48;
/** Offset, in a listed request, of the end address of the user agent (u32). */
export const LISTED_AGENT_TO = 52;
/**
 * Offset, in a listed request, of the address of the record of its user agent (u32). The address
 * is 0 if there is no such record.
 */
export const LISTED_AGENT_RECORD = 56;
/**
 * Offset, in a listed request, of the end address of the host, which is at the start of the line
 * (u32).
 */
export const LISTED_HOST_TO = 60;
/** Bit that is set in the flags of a listed request if its URL has a query. */
export const MASK_HAS_QUERY = 1;
/** Bit that is set in the flags of a listed request if an id in its path was replaced. */
export const MASK_HAS_ID = 2;

/**
 * Address of a chunk of the log. The caller reads the log directly into this memory, so that its
 * lines need not be copied. The chunk is followed by slack for reads past the last line.
 */
export const CHUNK = 0x2d0000;
/** Maximum size of the chunk in bytes (256 KiB). */
export const CHUNK_BYTES = 0x40000;
