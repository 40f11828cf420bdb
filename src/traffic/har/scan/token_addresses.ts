// The memory that `TokenScanner` shares with the program in assembly/. Both sides are compiled with
// this file. Each scanner has its own instance, so these areas may overlap with those of the
// others.

/** Address of the token bitmap, which contains one bit for each hash value. */
export const TOKEN_BITMAP = 0x10000;
/** Base-2 logarithm of the number of bits in the token bitmap. */
export const BITMAP_POWER = 20;
/**
 * Address of the list of found tokens. An entry contains the number of the token and its offset in
 * the text, in UTF-16 code units (i32).
 */
export const FOUND = 0x30000;
/** Maximum number of entries in the list of found tokens. */
export const MAX_FOUND = 0x10000;
/** Size, in bytes, of an entry in the list of found tokens. */
export const FOUND_BYTES = 8;
/**
 * Size, in bytes, of an entry in the hash table of tokens. An entry contains the token's address (0
 * if the entry is free), length and number (i32).
 */
export const TOKEN_BYTES = 16;
/**
 * Address of the wanted tokens, each followed by a space. The hash table of tokens and the text to
 * search follow them.
 */
export const TOKENS = 0xb0000;
