// The memory that `LeafScanner` shares with the program in assembly/. Both sides are compiled with
// this file. `ByteScanner` does not use these areas: each scanner has its own instance.

/** Address of the path to the current value: one entry for each level. */
export const STACK = 0x10000;
/**
 * Size, in bytes, of an entry in `STACK`. An entry contains (i32 each):
 *
 * - the address of the current member, or the list index
 * - 1 for an object, or 0 for a list
 * - the address of the object or list
 * - the address of its shape (see `SHAPES`)
 */
export const STEP_BYTES = 16;
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
/**
 * Address of the table of shapes: `SHAPE_WAYS` entries for each level. An entry contains the members
 * of the last object that used it, because the objects in a list mostly have the same members. See
 * assembly/shapes.ts.
 */
export const SHAPES = 0x3b0000;
/** Number of entries for each level in the table of shapes; a power of two. */
export const SHAPE_WAYS = 4;
/** Maximum number of members in an entry of the table of shapes. */
export const FEW_NAMES = 24;
/** Size, in bytes, of a member in an entry of the table of shapes. */
export const MEMBER_BYTES = 32;
/** Byte offset of the first member in an entry of the table of shapes. */
export const MEMBERS = 16;
/**
 * Size, in bytes, of an entry in the table of shapes: `MEMBERS` bytes, `FEW_NAMES` members, one for
 * any other member of its object, and one that is always empty.
 */
export const SHAPE_BYTES = 848;
/**
 * Address of a bitmap of the strings to search for, indexed by a hash of their length and their
 * first bytes. It rejects most strings before the filter at `WANTED` is read.
 */
export const STARTS = 0x560000;
/** Address of the first byte of the JSON text to search. A multiple of 8. */
export const LEAF_TEXT = 0x5a0000;

/** Kind of a leaf that is a number. */
export const NUMBER = 0;
/** Kind of a leaf that is a string without escape sequences. */
export const PLAIN = 1;
/** Kind of a leaf that is a string with escape sequences. */
export const ESCAPED = 2;
