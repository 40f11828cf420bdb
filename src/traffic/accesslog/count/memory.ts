// The memory that `LineCounter` shares with the program in assembly/: addresses of its areas, and
// byte offsets of the fields in each kind of record. Both sides are compiled with this file.

/**
 * Address of the list of members that were found in a JSON object. It has one entry for each kind
 * of column. An entry contains only zeros if the line has no member of that kind.
 */
export const FOUND = 0x0e00;
/** Size of the `FOUND` area in bytes. */
export const FOUND_BYTES = 128;
/** Size of a `FOUND` entry in bytes. */
export const FOUND_ENTRY_BYTES = 8;
/** Byte offset of the start address of the member's value (u32) in a `FOUND` entry. */
export const FOUND_FROM = 0;
/** Byte offset of the end address of the member's value (u32) in a `FOUND` entry. */
export const FOUND_TO = 4;

/** Address of the length, in bytes, of the id placeholder (u32). */
export const ID_LENGTH = 0x0ef0;
/** Address of the id placeholder's bytes. */
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

/** Address of the columns that describe the layout of the lines: one entry per column. */
export const COLUMNS = 0x1000;
/** Size of a `COLUMNS` entry in bytes. */
export const COLUMN_BYTES = 48;
/** Maximum number of columns. */
export const MAX_COLUMNS = 64;
/** Byte offset of the kind (u8, a constant from column_kinds.ts) in a `COLUMNS` entry. */
export const COLUMN_KIND = 0;
/** Byte offset of the delimiter's length in bytes (u8) in a `COLUMNS` entry. */
export const COLUMN_DELIMITER_LENGTH = 1;
/**
 * Byte offset of the delimiter's first byte (u8) in a `COLUMNS` entry. The last column has no
 * delimiter: it ends at this byte or at the end of the line.
 */
export const COLUMN_STOP = 2;
/** Byte offset of the minimum length, in bytes, of a word (u8) in a `COLUMNS` entry. */
export const COLUMN_MIN_LENGTH = 3;
/**
 * Byte offset, in a `COLUMNS` entry of kind `JSON` or `OBJECT`, of the number of entries after it
 * that describe the object's members (u8).
 */
export const COLUMN_MEMBERS = 4;
/**
 * Byte offset, in a `COLUMNS` entry, of the delimiter or the name of a JSON member. The string is
 * followed by its mask.
 */
export const COLUMN_DELIMITER = 16;

/**
 * Address of the date that lines must contain to be counted (see `DayText`), followed by its mask.
 */
export const DAY = 0x1f00;
/**
 * Address of the time zone that lines must contain to be counted (see `DayText`), followed by its
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

/** Address of the filter results for each status from 0 (no status) to 999, one byte each. */
export const STATUS_RESULTS = 0x4c000;
/**
 * Address of the drop counts: a list of u32 with the number of requests that each filter dropped.
 * Filters are numbered from 1, so element 0 is unused.
 */
export const DROPPED = 0x4c400;
/** Size of the `DROPPED` area in bytes. */
export const DROPPED_BYTES = 1024;

/** Address of the runs. A run counts consecutive requests in the same second. */
export const RUNS = 0x50000;
/** End address of the runs (see `RUNS`). */
export const RUNS_END = 0x70000;
/** Size of a `RUNS` entry in bytes. */
export const RUN_BYTES = 8;
/** Byte offset of the Unix second (u32) in a `RUNS` entry. */
export const RUN_SECOND = 0;
/** Byte offset of the number of requests (u32) in a `RUNS` entry. */
export const RUN_REQUESTS = 4;

/**
 * Address of the tags of the hash table: one byte for each slot, which contains bits of the hash,
 * or 0 if the slot is empty. A lookup compares the tags of a group of `GROUP_SLOT_COUNT` slots at
 * once.
 */
export const TAGS = 0x70000;
/**
 * Address of the slots of the hash table. A slot (u16) contains the index of a record: its offset
 * from `RECORDS`, divided by `RECORD_BYTES`. Slots and tags are small so that they stay in the
 * processor's cache.
 */
export const SLOTS = 0x74000;
/** Number of slots in the hash table. */
export const SLOT_COUNT = 0x4000;
/** Number of hash table slots in a group, whose tags a lookup compares at once. */
export const GROUP_SLOT_COUNT = 16;
/** Size of a hash table slot in bytes. */
export const SLOT_BYTES = 2;

/**
 * Address of the records, one for each endpoint. User agents and hosts also have records if a
 * filter or a collector needs them. Each record starts at a multiple of `RECORD_BYTES`. Record
 * index 0 is unused.
 */
export const RECORDS = 0x80000;
/**
 * End address of the records. A 16-bit record index cannot refer to a higher address. 64 KiB of
 * slack follow.
 */
export const RECORDS_END = 0x280000;
/** Alignment of records in bytes, which is also the unit of a record index. */
export const RECORD_BYTES = 32;
/** Byte offset of the number of requests (u32) in a `RECORDS` entry. */
export const RECORD_REQUESTS = 0;
/** Byte offset of the key's length in bytes (u16) in a `RECORDS` entry. */
export const RECORD_KEY_LENGTH = 4;
/** Byte offset of the filters' result (u8, see filter_scopes.ts) in a `RECORDS` entry. */
export const RECORD_RESULT = 6;
/**
 * Byte offset, in a `RECORDS` entry, of an f64: the position in the log of the first line with the
 * entry's key. In the record of a user agent, it contains two hashes (u32) instead.
 */
export const RECORD_FIRST = 8;
/** Byte offset of the key in a `RECORDS` entry. The key of an endpoint is `METHOD route`. */
export const RECORD_KEY = 16;

/**
 * Address of the list of requests for the collectors. The function `select` in counter.ts writes an
 * entry for each request that passes the filters. The filters read a request from the entry after
 * the last one. The list starts after the slack of the records.
 */
export const LISTED = 0x290000;
/** End address of the `LISTED` area. */
export const LISTED_END = 0x2d0000;
/** Size of a `LISTED` entry in bytes. */
export const LISTED_BYTES = 64;
/** Byte offset of the line's start address (u32) in a `LISTED` entry. */
export const LISTED_LINE = 0;
/** Byte offset of the address of the endpoint's record (u32) in a `LISTED` entry. */
export const LISTED_RECORD = 4;
/** Byte offset of the request's time in Unix seconds (u32) in a `LISTED` entry. */
export const LISTED_SECOND = 8;
/** Byte offset of the HTTP status (u16, 0 if the line has none) in a `LISTED` entry. */
export const LISTED_STATUS = 12;
/** Byte offset of the flags `MASK_HAS_QUERY` and `MASK_HAS_ID` (u16) in a `LISTED` entry. */
export const LISTED_FLAGS = 14;
/** Byte offset of the first hash of the visitor (u32) in a `LISTED` entry. */
export const LISTED_VISITOR = 16;
/** Byte offset of the method's start address (u32) in a `LISTED` entry. */
export const LISTED_METHOD = 20;
/** Byte offset of the method's end address (u32) in a `LISTED` entry. */
export const LISTED_METHOD_TO = 24;
/** Byte offset of the path's start address (u32) in a `LISTED` entry. */
export const LISTED_PATH = 28;
/** Byte offset of the path's end address (u32) in a `LISTED` entry. */
export const LISTED_PATH_TO = 32;
/**
 * Byte offset, in a `LISTED` entry, of the end address of the request target with its query (u32).
 */
export const LISTED_TARGET_TO = 36;
/** Byte offset of the client field's start address (u32) in a `LISTED` entry. */
export const LISTED_CLIENT = 40;
/** Byte offset of the client field's end address (u32) in a `LISTED` entry. */
export const LISTED_CLIENT_TO = 44;
/**
 * Byte offset of the user agent's start address (u32, 0 if the line has none) in a `LISTED` entry.
 */
export const LISTED_AGENT = 48;
/** Byte offset of the user agent's end address (u32) in a `LISTED` entry. */
export const LISTED_AGENT_TO = 52;
/** Byte offset of the second hash of the visitor (u32) in a `LISTED` entry. */
export const LISTED_OTHER_VISITOR = 56;
/**
 * Byte offset of the host's end address (u32) in a `LISTED` entry. The host is at the start of the
 * line.
 */
export const LISTED_HOST_TO = 60;
/** Bit that is set in the flags of a `LISTED` entry if the request's URL has a query. */
export const MASK_HAS_QUERY = 1;
/** Bit that is set in the flags of a `LISTED` entry if an id in the request's path was replaced. */
export const MASK_HAS_ID = 2;

/**
 * Address of a chunk of the log. The caller reads the log directly into this memory, so that its
 * lines need not be copied. The chunk is followed by slack for reads past the last line.
 */
export const CHUNK = 0x2d0000;
/** Maximum size of the chunk in bytes (256 KiB). */
export const CHUNK_BYTES = 0x40000;
