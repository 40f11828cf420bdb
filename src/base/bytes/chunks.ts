/**
 * Bytes in order, a chunk at a time. A chunk is valid only until the next one is asked for: its
 * buffer may be used again.
 */
export type Chunks = AsyncIterable<Uint8Array>;

/** How much is read, inflated or handed on at a time, in bytes. */
export const CHUNK_BYTES = 256 * 1024;
