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
/** `21/Nov/2026:10:00:00 +0000`. */
export const CLF_TIME = 5;
/** `2026-11-21T10:00:00.123Z`. */
export const ISO_TIME = 6;
/** Seconds from 1970. */
export const SECONDS = 7;
/** Milliseconds from 1970. */
export const MILLISECONDS = 8;
/** `10:00:00`. */
export const CLOCK = 9;
/** `2026-11-21`. */
export const DATE = 10;
/** `METHOD target HTTP/x.y`. */
export const REQUEST = 11;
/** `GET`. */
export const METHOD = 12;
/** `/path?query`. */
export const TARGET = 13;
/** The same, behind which `-` may stand for no query. */
export const DASHED_TARGET = 14;
/** `/path`. */
export const PATH = 15;
/** What is behind the question mark. */
export const QUERY = 16;
/** Three digits. */
export const STATUS = 17;
