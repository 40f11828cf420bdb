// The memory that `LeafScanner` shares with the program in assembly/. Both sides are compiled with
// this file. `ByteScanner` does not use these areas: each scanner has its own instance.

/**
 * Address of a hash table of recent strings in the current body that the filter at `WANTED`
 * rejected. A string in this table is rejected faster when it occurs again. An entry contains the
 * number of the body, and the address and length of the string (i32). A new entry replaces an
 * earlier one in the same slot.
 */
export const REPEATED = 0x8000;
/** Size, in bytes, of an entry in the table at `REPEATED`. */
export const REPEATED_BYTES = 16;
/** Number of entries in the table at `REPEATED`; a power of two. */
export const REPEATED_TEXTS = 1024;
/** Address of the path to the current value: one entry for each level. */
export const STACK = 0x10000;
/**
 * Size, in bytes, of an entry in `STACK`. An entry contains:
 *
 * - the address and length of the member name, or -1 and the list index (i32 each)
 * - the number that identifies the object, and the number of its names (i32 each)
 * - a filter for the names of the object (u64)
 * - the first `FEW_NAMES` names, each with its address and length (i32 each)
 * - the address of the object or list (i32), and 4 bytes of padding
 */
export const STEP_BYTES = 224;
/** Byte offset of the address of the object or list (i32) in a `STACK` entry. */
export const STEP_START = 216;
/** Maximum number of an object's names that a `STACK` entry contains. */
export const FEW_NAMES = 24;
/** Maximum nesting depth of the JSON text to search. */
export const MAX_DEPTH = 512;
/**
 * Address of the Bloom filter of the strings to search for. An entry consists of two u64 numbers:
 * the first for values, and the second for tokens that can occur anywhere in a string. Each string
 * sets three bits of one entry.
 */
export const WANTED = 0x30000;
/** Size, in bytes, of an entry in the filter at `WANTED`. */
export const WANTED_BYTES = 16;
/** Base-2 logarithm of the minimum number of entries in the filter at `WANTED`. */
export const MIN_WANTED_POWER = 8;
/** Base-2 logarithm of the maximum number of entries in the filter at `WANTED`. */
export const MAX_WANTED_POWER = 15;
/**
 * Address of the hash table of the names in large objects, which is used to find repeated names.
 */
export const NAMES = 0xb0000;
/**
 * Size, in bytes, of an entry in the table of names. An entry contains the number of the object,
 * and the address and length of the name (i32).
 */
export const NAME_BYTES = 16;
/** Base-2 logarithm of the number of entries in the table of names. */
export const NAMES_POWER = 17;
/** Maximum number of names in the table of names. */
export const MAX_NAMES = 80_000;
/**
 * Address of the list of leaves. An entry contains its length in bytes, the kind of the leaf, its
 * start and end address, and the length of its path (i32). For each step of the path, the first 8
 * bytes of its `STACK` entry and the address of the object or list (i32) follow.
 */
export const LEAVES = 0x2b0000;
/** Size of the list of leaves in bytes. */
export const LEAVES_BYTES = 0x100000;
/** Size, in bytes, of a leaf's entry in the list, excluding its path. */
export const LEAF_BYTES = 20;
/** Size, in bytes, of one step in the path of a leaf. */
export const LEAF_STEP_BYTES = 12;
/** Address of the first byte of the JSON text to search. */
export const LEAF_TEXT = 0x3b0000;

/** Kind of a leaf that is a number. */
export const NUMBER = 0;
/** Kind of a leaf that is a string without escape sequences. */
export const PLAIN = 1;
/** Kind of a leaf that is a string with escape sequences. */
export const ESCAPED = 2;

/** Result of `findLeaves` for JSON text. */
export const IS_JSON = 0;
/** Result of `findLeaves` for text that is not JSON. */
export const NOT_JSON = 1;
/** Result of `findLeaves` for text that exceeds a limit of the scanner. */
export const BEYOND_LIMIT = 2;
