// The memory that `TokenScanner` shares with the program in assembly/. Both sides are compiled with
// this file. Each scanner has its own instance, so these areas may overlap with those of the others.

/** Address of the bitmap of tokens: a bit for each hash. */
export const TOKEN_BITMAP = 0x10000;
/** Size of the bitmap as a power of two, in bits. */
export const BITMAP_POWER = 20;
/** Address of the list of found tokens: the number and the offset of each (i32). */
export const FOUND = 0x30000;
/** Maximum number of tokens in the list. */
export const MAX_FOUND = 0x10000;
/** Size of an entry of the list in bytes. */
export const FOUND_BYTES = 8;
/**
 * Size of an entry of the hash table of tokens in bytes: address, or 0 if the entry is free; length;
 * and number (i32).
 */
export const TOKEN_BYTES = 16;
/** Address of the text of the tokens, with a space after each. The table follows, and then the text. */
export const TOKENS = 0xb0000;
