// The memory that `LineCounter` shares with the program in assembly/: addresses of its areas, byte
// offsets of the fields in each kind of record, and constants. Both sides are compiled with this
// file.

/**
 * Address of the list of members that were found in a JSON object. It has one entry for each kind
 * of column. An entry contains only zeros if the line has no member of that kind.
 */
export const FOUND = 0x0e00;

// Size of the area `FOUND` and of an entry, and the offsets in an entry (u32): the start and the
// end address of the member's value.
export const FOUND_BYTES = 128;
export const FOUND_ENTRY_BYTES = 8;
export const FOUND_FROM = 0;
export const FOUND_TO = 4;

// Addresses of the length (u32) and of the bytes of the id placeholder.
export const ID_LENGTH = 0x0ef0;
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
/** Total size of a string and its mask. */
export const MASKED_TEXT_BYTES = 32;

/** Address of the columns that describe the layout of the lines: one entry per column. */
export const COLUMNS = 0x1000;
export const COLUMN_BYTES = 48;
export const MAX_COLUMNS = 64;

// Offsets in an entry of `COLUMNS` (u8): the kind, the length of the delimiter, the minimum length
// of a word, and, for the kinds `JSON` and `OBJECT`, the number of entries after it that describe
// the members of the object.
export const COLUMN_KIND = 0;
export const COLUMN_DELIMITER_LENGTH = 1;
export const COLUMN_MIN_LENGTH = 3;
export const COLUMN_MEMBERS = 4;
/**
 * Offset of the delimiter's first byte. The last column has no delimiter: it ends at this byte or
 * at the end of the line.
 */
export const COLUMN_STOP = 2;
/** Offset of the delimiter or the name of a JSON member, followed by its mask. */
export const COLUMN_DELIMITER = 16;

// Addresses of the date and the time zone that lines must contain to be counted (see `DayText`),
// each followed by its mask.
export const DAY = 0x1f00;
export const ZONE = 0x1f20;

/** Address of the input: whole log lines, followed by slack for reads past the last line. */
export const INPUT = 0x2000;
export const INPUT_BYTES = 0x40000;

/**
 * Address of a buffer for an endpoint key (`METHOD route`) that is assembled from separate fields,
 * because the input does not contain it in one piece.
 */
export const JOINED = 0x43000;
/** Address of a buffer for an endpoint key in which placeholders have replaced the ids. */
export const REPLACED = 0x44000;

/** Address of the filter results for each status from 0 (no status) to 999, one byte each. */
export const STATUS_RESULTS = 0x4c000;
/**
 * Address of the drop counts: a list of u32 with the number of requests that each filter dropped.
 * Filters are numbered from 1, so element 0 is unused.
 */
export const DROPPED = 0x4c400;
export const DROPPED_BYTES = 1024;

// Address and end address of the runs. A run counts consecutive requests in the same second.
export const RUNS = 0x50000;
export const RUNS_END = 0x70000;
// Size of a run, and the offsets in it (u32): the Unix second, and the number of requests.
export const RUN_BYTES = 8;
export const RUN_SECOND = 0;
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
export const SLOT_COUNT = 0x4000;
export const GROUP_SLOT_COUNT = 16;
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
export const RECORD_BYTES = 32;

// Offsets in a record: the number of requests (u32), the length of the key (u16), the result of the
// filters (u8, see below), and the key, which is `METHOD route` for an endpoint.
export const RECORD_REQUESTS = 0;
export const RECORD_KEY_LENGTH = 4;
export const RECORD_RESULT = 6;
export const RECORD_KEY = 16;
/**
 * Offset of the position in the log (f64) of the first line with the key. The record of a user
 * agent contains two hashes (u32) instead.
 */
export const RECORD_FIRST = 8;

/**
 * Address of the list of requests for the collectors. The function `select` in counter.ts writes an
 * entry for each request that passes the filters. The filters read a request from the entry after
 * the last one. The list starts after the slack of the records.
 */
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

// Offsets of the HTTP status (u16, 0 if the line has none), and of the flags (u16): the URL has a
// query, and an id in the path was replaced.
export const LISTED_STATUS = 12;
export const LISTED_FLAGS = 14;
export const MASK_HAS_QUERY = 1;
export const MASK_HAS_ID = 2;

/**
 * Address of a chunk of the log. The caller reads the log directly into this memory, so that its
 * lines need not be copied. The chunk is followed by slack for reads past the last line.
 */
export const CHUNK = 0x2d0000;
export const CHUNK_BYTES = 0x40000;

// Kinds of columns. No form of enum compiles in both TypeScript and AssemblyScript.

/** Any text, up to the delimiter. */
export const KIND_SKIPPED = 0;
/** Any text without a backslash, up to the delimiter. */
export const KIND_QUOTED = 1;
/** Text with a minimum length, up to the first byte of the delimiter. */
export const KIND_WORD = 2;
/** No value, only a delimiter. Represents fixed text in the line. */
export const KIND_TEXT = 3;
/** Any text followed by ` [time] "request" status size`. The rest of the line is ignored. */
export const KIND_CLF = 4;
/** A timestamp, or only the time of day if the line has a separate date. */
export const KIND_TIME = 5;
/** A date, such as `2026-11-21`. */
export const KIND_DATE = 6;
/** A request line, `METHOD target HTTP/x.y`. */
export const KIND_REQUEST = 7;
/** A request method, such as `GET`. */
export const KIND_METHOD = 8;
/** A request target, such as `/path?query`. */
export const KIND_TARGET = 9;
/** A request target such as `/path?query`, or `/path-` if there is no query. */
export const KIND_DASHED_TARGET = 10;
/** A path without a query. */
export const KIND_PATH = 11;
/** A query without its question mark. */
export const KIND_QUERY = 12;
/** An HTTP status of three digits. */
export const KIND_STATUS = 13;
/** The name of Caddy's logger for requests, which starts with `http.log.access`. */
export const KIND_LOGGER = 14;
/** A line that is a JSON object. The columns after this one describe its relevant members. */
export const KIND_JSON = 15;
/**
 * A JSON member whose value is an object. The columns after this one describe its relevant members.
 */
export const KIND_OBJECT = 16;
/** Any text, up to the delimiter, or a text in quotes that contains no quotes. */
export const KIND_VALUE = 17;
/** A path without percent-encodings. */
export const KIND_PLAIN_PATH = 18;

// What the result of a filter depends on, as bits.

/** The result depends on the request's timestamp in whole seconds. */
export const SCOPE_SECOND = 1;
/** The result depends on the HTTP status of the response. */
export const SCOPE_STATUS = 2;
/** The result depends on the method and the path, or on the endpoint to which they belong. */
export const SCOPE_ENDPOINT = 4;
/** The result depends on the user agent. */
export const SCOPE_AGENT = 8;
/** The result depends on the host to which the request was sent. */
export const SCOPE_HOST = 16;
/** The result may depend on anything in the request. */
export const SCOPE_REQUEST = 32;

// Results of filters. A result between `UNKNOWN` and `KEPT` is the number of the first filter that
// drops the request, counted from 1.

/** The filters have not been called yet. */
export const UNKNOWN = 0;
/** All filters keep the request. */
export const KEPT = 255;
/** Flag of a filter result that is valid only for this request and must not be stored. */
export const MASK_ONCE = 256;
