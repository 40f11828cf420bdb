// The memory that `LineCounter` shares with the program in assembly/: addresses of its areas, byte
// offsets of the fields in each kind of record, and constants. Both sides are compiled with this
// file.

/** The members found in a JSON object: one entry for each kind of column, zeros if absent. */
export const FOUND = 0x0e00;

// Offsets in an entry (u32): the start and the end address of the value.
export const FOUND_BYTES = 128;
export const FOUND_ENTRY_BYTES = 8;
export const FOUND_FROM = 0;
export const FOUND_TO = 4;

// Addresses of the length (u32) and of the bytes of the id placeholder.
export const ID_LENGTH = 0x0ef0;
export const ID = 0x0f00;

/** Maximum length of a string that is stored with a mask, such as a delimiter or a date. */
export const TEXT_BYTES = 16;
/** Offset of the mask from its string: 0xff for each byte of the string, 0 for the rest. */
export const TEXT_MASK = 16;
export const MASKED_TEXT_BYTES = 32;

/** The layout of the lines: one entry per column. */
export const COLUMNS = 0x1000;
export const COLUMN_BYTES = 48;
export const MAX_COLUMNS = 64;

// Offsets in a column (u8): kind, length of the delimiter, minimum length of a word, and, for
// `JSON` and `OBJECT`, the number of entries after it for the members.
export const COLUMN_KIND = 0;
export const COLUMN_DELIMITER_LENGTH = 1;
export const COLUMN_MIN_LENGTH = 3;
export const COLUMN_MEMBERS = 4;
/** The delimiter's first byte. The last column ends at this byte or at the end of the line. */
export const COLUMN_STOP = 2;
/** The delimiter or the name of a JSON member, followed by its mask. */
export const COLUMN_DELIMITER = 16;

// Date and time zone that lines must contain (see `DayText`), each followed by its mask.
export const DAY = 0x1f00;
export const ZONE = 0x1f20;

/** Whole log lines, followed by slack for reads past the last line. */
export const INPUT = 0x2000;
export const INPUT_BYTES = 0x40000;

/** A buffer for an endpoint key (`METHOD route`) that is assembled from separate fields. */
export const JOINED = 0x43000;
/** Address of a buffer for an endpoint key in which placeholders have replaced the ids. */
export const REPLACED = 0x44000;

/** Filter results for each status from 0 (no status) to 999, one byte each. */
export const STATUS_RESULTS = 0x4c000;
/** Requests (u32) that each filter dropped. Filters are numbered from 1. */
export const DROPPED = 0x4c400;
export const DROPPED_BYTES = 1024;

// Runs: counts of consecutive requests in the same second.
export const RUNS = 0x50000;
export const RUNS_END = 0x70000;
// Offsets in a run (u32).
export const RUN_BYTES = 8;
export const RUN_SECOND = 0;
export const RUN_REQUESTS = 4;

/** One byte of the hash for each slot, 0 if empty. Lookups compare `GROUP_SLOT_COUNT` at once. */
export const TAGS = 0x70000;
/** Index (u16) of a record from `RECORDS`. Small, so that it stays in the processor's cache. */
export const SLOTS = 0x74000;
export const SLOT_COUNT = 0x4000;
export const GROUP_SLOT_COUNT = 16;
export const SLOT_BYTES = 2;

/** For each endpoint, and for user agents and hosts if needed. Record 0 is unused. */
export const RECORDS = 0x80000;
/** A 16-bit record index cannot refer to a higher address. 64 KiB of slack follow. */
export const RECORDS_END = 0x280000;
export const RECORD_BYTES = 32;

// Offsets in a record: requests (u32), length of the key (u16), result of the filters (u8), key.
export const RECORD_REQUESTS = 0;
export const RECORD_KEY_LENGTH = 4;
export const RECORD_RESULT = 6;
export const RECORD_KEY = 16;
/** Log offset (f64) of the first line with the key; for a user agent, two hashes (u32). */
export const RECORD_FIRST = 8;

/** Requests for the collectors. Filters read a request from the entry after the last one. */
export const LISTED = 0x290000;
export const LISTED_END = 0x2d0000;
export const LISTED_BYTES = 64;

// Offsets in an entry of `LISTED` (u32): the start address of the line, where a host would be, and
// of the record of the endpoint; the Unix second; start and end addresses (`_TO`) of fields, where
// a user agent at 0 is absent; and both hashes of the visitor.
export const LISTED_LINE = 0;
export const LISTED_RECORD = 4;
export const LISTED_SECOND = 8;
export const LISTED_VISITOR = 16;
export const LISTED_METHOD = 20;
export const LISTED_METHOD_TO = 24;
export const LISTED_PATH = 28;
export const LISTED_PATH_TO = 32;
export const LISTED_TARGET_TO = 36;
export const LISTED_CLIENT = 40;
export const LISTED_CLIENT_TO = 44;
export const LISTED_AGENT = 48;
export const LISTED_AGENT_TO = 52;
export const LISTED_OTHER_VISITOR = 56;
export const LISTED_HOST_TO = 60;

// Offsets of the status (u16, 0 if none) and of the flags (u16).
export const LISTED_STATUS = 12;
export const LISTED_FLAGS = 14;
export const MASK_HAS_QUERY = 1;
export const MASK_HAS_ID = 2;

/** A chunk of the log, read directly into this memory, followed by slack. */
export const CHUNK = 0x2d0000;
export const CHUNK_BYTES = 0x40000;

// Kinds of columns. No form of enum compiles in both TypeScript and AssemblyScript.

export const KIND_SKIPPED = 0;
/** Any text without a backslash. */
export const KIND_QUOTED = 1;
/** Text with a minimum length, up to the first byte of the delimiter. */
export const KIND_WORD = 2;
/** No value, only a delimiter. Represents fixed text in the line. */
export const KIND_TEXT = 3;
/** Any text followed by ` [time] "request" status size`. The rest of the line is ignored. */
export const KIND_CLF = 4;
/** A timestamp, or only the time of day if the line has a separate date. */
export const KIND_TIME = 5;
export const KIND_DATE = 6;
export const KIND_REQUEST = 7;
export const KIND_METHOD = 8;
export const KIND_TARGET = 9;
/** A request target such as `/path?query`, or `/path-` if there is no query. */
export const KIND_DASHED_TARGET = 10;
export const KIND_PATH = 11;
export const KIND_QUERY = 12;
export const KIND_STATUS = 13;
/** Caddy's logger for requests, which starts with `http.log.access`. */
export const KIND_LOGGER = 14;
/** The columns after this one are its relevant members. */
export const KIND_JSON = 15;
/** An object in a JSON object, in the same way. */
export const KIND_OBJECT = 16;
/** Any text, or a text in quotes that contains no quotes. */
export const KIND_VALUE = 17;
/** A path without percent-encodings. */
export const KIND_PLAIN_PATH = 18;

// What the result of a filter depends on, as bits.

/** The second of the timestamp. */
export const SCOPE_SECOND = 1;
export const SCOPE_STATUS = 2;
/** The method and the path, or their endpoint. */
export const SCOPE_ENDPOINT = 4;
export const SCOPE_AGENT = 8;
export const SCOPE_HOST = 16;
/** Anything in the request. */
export const SCOPE_REQUEST = 32;

// Results of filters. A result between `UNKNOWN` and `KEPT` is the number of the first filter that
// drops the request, counted from 1.

/** The filters have not been called yet. */
export const UNKNOWN = 0;
export const KEPT = 255;
/** Valid only for this request: not to be stored. */
export const MASK_ONCE = 256;
