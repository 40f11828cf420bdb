// What a column can be; the program in assembly/ is compiled with this file. Each is a constant by
// itself, as that has no enum that both can read.

/** Ends where the text behind it comes next. */
export const SKIPPED = 0;
/** The same, with no backslash in it. */
export const QUOTED = 1;
/** Ends where the first byte of the text behind it comes next. */
export const WORD = 2;
/** Has no bytes: the text behind it stands here. */
export const TEXT = 3;
/** Anything, ` [time] "request" status size`, and that is all that is looked at. */
export const CLF = 4;
/** A moment, or the time of day. */
export const TIME = 5;
/** `2026-11-21`. */
export const DATE = 6;
/** `METHOD target HTTP/x.y`. */
export const REQUEST = 7;
/** `GET`. */
export const METHOD = 8;
/** `/path?query`. */
export const TARGET = 9;
/** The same, behind which `-` may stand for no query. */
export const DASHED_TARGET = 10;
/** `/path`. */
export const PATH = 11;
/** What is behind the question mark. */
export const QUERY = 12;
/** Three digits. */
export const STATUS = 13;
/** A JSON object, whose members that count are the columns behind it. */
export const JSON = 14;
/** Of a JSON object, a member that is one, too; its own members follow. */
export const OBJECT = 15;

// How times are written.

/** `21/Nov/2026:10:00:00 +0000`. */
export const CLF_TIME = 0;
/** `2026-11-21T10:00:00.123Z`. */
export const ISO_TIME = 1;
/** Seconds, milliseconds, microseconds or nanoseconds since 1970, by the number of digits. */
export const EPOCH = 2;
/** `10:00:00`. */
export const CLOCK = 3;
