// Kinds of columns. Both sides of the counter are compiled with this file. The kinds are constants,
// because no form of enum compiles in both TypeScript and AssemblyScript. columns.ts derives the
// type `ColumnKind` from them.

/** Column kind: any text, up to the delimiter. */
export const SKIPPED = 0;
/** Column kind: any text without a backslash, up to the delimiter. */
export const QUOTED = 1;
/** Column kind: text with a minimum length, up to the first byte of the delimiter. */
export const WORD = 2;
/** Column kind: no value, only a delimiter. Represents fixed text in the line. */
export const TEXT = 3;
/**
 * Column kind: any text followed by ` [time] "request" status size`. The rest of the line is
 * ignored.
 */
export const CLF = 4;
/** Column kind: a timestamp, or only the time of day if the line has a separate date. */
export const TIME = 5;
/** Column kind: a date, such as `2026-11-21`. */
export const DATE = 6;
/** Column kind: a request line, `METHOD target HTTP/x.y`. */
export const REQUEST = 7;
/** Column kind: a request method, such as `GET`. */
export const METHOD = 8;
/** Column kind: a request target, such as `/path?query`. */
export const TARGET = 9;
/** Column kind: a request target such as `/path?query`, or `/path-` if there is no query. */
export const DASHED_TARGET = 10;
/** Column kind: a path without a query. */
export const PATH = 11;
/** Column kind: a query without its question mark. */
export const QUERY = 12;
/** Column kind: an HTTP status of three digits. */
export const STATUS = 13;
/** Column kind: the name of Caddy's logger for requests, which starts with `http.log.access`. */
export const LOGGER = 14;
/**
 * Column kind: a line that is a JSON object. The columns after this one describe its relevant
 * members.
 */
export const JSON = 15;
/**
 * Column kind: a JSON member whose value is an object. The columns after this one describe its
 * relevant members.
 */
export const OBJECT = 16;
/** Column kind: any text, up to the delimiter, or a text in quotes that contains no quotes. */
export const VALUE = 17;
/** Column kind: a path without percent-encodings. */
export const PLAIN_PATH = 18;
