// The kinds of columns. The program in assembly/ is compiled with this file. They are constants, because
// TypeScript and AssemblyScript share no kind of enum. columns.ts derives the type `ColumnKind` from them.

/** Any text up to the delimiter. */
export const SKIPPED = 0;
/** Any text without a backslash up to the delimiter. */
export const QUOTED = 1;
/** Any text up to the first byte of the delimiter, with a minimum length. */
export const WORD = 2;
/** Nothing before the delimiter: fixed text. */
export const TEXT = 3;
/** Any text and ` [time] "request" status size`; the rest of the line is ignored. */
export const CLF = 4;
/** A timestamp, or only the time of day if the line has a separate date. */
export const TIME = 5;
/** `2026-11-21`. */
export const DATE = 6;
/** A request line `METHOD target HTTP/x.y`. */
export const REQUEST = 7;
/** `GET`. */
export const METHOD = 8;
/** `/path?query`. */
export const TARGET = 9;
/** `/path?query`, or `/path` and a `-` for an absent query. */
export const DASHED_TARGET = 10;
/** `/path`. */
export const PATH = 11;
/** The query without its question mark. */
export const QUERY = 12;
/** Three digits. */
export const STATUS = 13;
/** A JSON object; the following columns describe its relevant members. */
export const JSON = 14;
/** A member of a JSON object that is an object; its relevant members follow. */
export const OBJECT = 15;
