// The memory that `ByteScanner` shares with the program in assembly/. Both sides are compiled with
// this file.

/**
 * Address of the result of `scan`, which consists of four i32 numbers: 1 if `scan` found the end of
 * the value, otherwise 0; number of line feeds outside strings; address after the last of them;
 * number of long strings.
 */
export const RESULT = 0x0800;
/**
 * Address of the list of long strings that `scan` finds. An entry consists of three i32 numbers:
 * the start address, the end address, and the maximum length of a UTF-16 code unit in bytes. The
 * latter is 0 if the string may be invalid or contains an escaped surrogate.
 */
export const STRINGS = 0x1000;
/** Size, in bytes, of an entry in the list of long strings. */
export const STRING_BYTES = 12;
/** Maximum number of strings in the list. `scan` stops when the list is full. */
export const MAX_STRINGS = 0x800;
/** Maximum length, in bytes, of a UTF-16 code unit in a JSON string without Unicode escapes. */
export const PLAIN_UNIT = 3;
/** Maximum length, in bytes, of a UTF-16 code unit in any JSON string. */
export const ESCAPED_UNIT = 6;
/** Minimum length of a long string in bytes, including its quotation marks. */
export const LONG_STRING = 512;
/** Address of the table that `unescape` uses to remove bytes: 256 entries of 8 bytes. */
export const REMOVALS = 0x8000;
/** Address of the first byte of the JSON text to scan. */
export const TEXT = 0x10000;
/** Number of bytes after a string that the program may read or overwrite. */
export const SLACK = 64;
