/**
 * A stream of byte chunks. Each chunk is valid only until the next one is requested, because its buffer
 * may be reused.
 */
export type Chunks = AsyncIterable<Uint8Array>;

/** Size of a chunk that is read or inflated at a time, in bytes. */
export const CHUNK_BYTES = 256 * 1024;
