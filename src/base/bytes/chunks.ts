/**
 * A stream of byte chunks. Each chunk is valid only until the next one is requested, because its buffer
 * may be reused.
 */
export type Chunks = AsyncIterable<Uint8Array>;

/** Size, in bytes, of the chunks in which inputs are read and decompressed. */
export const CHUNK_BYTES = 256 * 1024;
