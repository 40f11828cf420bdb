// Kinds of columns. Both sides of the counter are compiled with this file. They are constants,
// because TypeScript and AssemblyScript have no kind of enum in common. columns.ts derives the type
// `ColumnKind` from them.

/** Any text; ends at the delimiter. */
export const SKIPPED = 0;
/** Any text without a backslash; ends at the delimiter. */
export const QUOTED = 1;
/** Text of a minimum length; ends at the first byte of the delimiter. */
export const WORD = 2;
/** Empty text: the delimiter is fixed text of the line. */
export const TEXT = 3;
/** Any text and ` [time] "request" status size`. The rest of the line is ignored. */
export const CLF = 4;
/** A timestamp, or only the time of day if the line has a separate date. */
export const TIME = 5;
/** A date such as `2026-11-21`. */
export const DATE = 6;
/** A request line `METHOD target HTTP/x.y`. */
export const REQUEST = 7;
/** A method such as `GET`. */
export const METHOD = 8;
/** A target `/path?query`. */
export const TARGET = 9;
/** A target `/path?query`, or `/path-` if there is no query. */
export const DASHED_TARGET = 10;
/** A path without a query. */
export const PATH = 11;
/** A query without its question mark. */
export const QUERY = 12;
/** A status of three digits. */
export const STATUS = 13;
/** A JSON object. The columns after it are its relevant members. */
export const JSON = 14;
/** A member whose value is a JSON object. The columns after it are its relevant members. */
export const OBJECT = 15;
