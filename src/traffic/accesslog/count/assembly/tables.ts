// deno-fmt-ignore-file
// Made by scripts/assembly.ts from read.

// Byte offsets and lengths of the parts of a timestamp.
export const DATE_BYTES: i32 = 10;
export const CLOCK_BYTES: i32 = 8;
export const CLF_CLOCK: i32 = 12;
export const CLF_ZONE: i32 = 20;
export const CLF_BYTES: i32 = 26;

// Minimum number of digits of a Unix time in milliseconds, microseconds and nanoseconds.
export const MILLISECOND_DIGITS: i32 = 12;
export const MICROSECOND_DIGITS: i32 = 15;
export const NANOSECOND_DIGITS: i32 = 18;

// Ids in paths.
export const MIN_HEX_DIGITS: i32 = 16;
export const UUID_LENGTH: i32 = 36;
export const UUID_DASH_1: i32 = 8;
export const UUID_DASH_2: i32 = 13;
export const UUID_DASH_3: i32 = 18;
export const UUID_DASH_4: i32 = 23;

/**
 * Set of the bytes that can be part of an id. A byte is in the set if
 * `ID_BYTES_LOW[byte & 15]` and `ID_BYTES_HIGH[byte >> 4]` have a bit in common.
 */
export const ID_BYTES_LOW: v128 = i8x16(2, 6, 6, 6, 6, 6, 6, 2, 2, 2, 0, 0, 0, 1, 0, 0);
export const ID_BYTES_HIGH: v128 = i8x16(0, 0, 1, 2, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/**
 * Set of the bytes that end a path or may need rewriting. A byte is in the set if
 * `PATH_STOPS_LOW[byte & 15]` and `PATH_STOPS_HIGH[byte >> 4]` have a bit in common.
 */
export const PATH_STOPS_LOW: v128 = i8x16(18, 16, 18, 18, 18, 18, 16, 16, 16, 17, 17, 20, 24, 17, 16, 20);
export const PATH_STOPS_HIGH: v128 = i8x16(1, 0, 2, 4, 0, 8, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16);

/**
 * Set of the bytes that end a query. A byte is in the set if
 * `QUERY_STOPS_LOW[byte & 15]` and `QUERY_STOPS_HIGH[byte >> 4]` have a bit in common.
 */
export const QUERY_STOPS_LOW: v128 = i8x16(2, 0, 2, 0, 0, 0, 0, 0, 0, 1, 1, 0, 4, 1, 0, 0);
export const QUERY_STOPS_HIGH: v128 = i8x16(1, 0, 2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
