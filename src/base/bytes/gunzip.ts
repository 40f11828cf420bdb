import { createGunzip, type Gunzip } from "node:zlib";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";
import { pipeThrough } from "./pipe_through.ts";

/**
 * Decompresses a gzip file: all its members in order, without zero padding after the last. Throws an
 * `Error` if the file is truncated, damaged, or followed by other data.
 */
export async function* gunzip(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const transform = createGunzip({ chunkSize: CHUNK_BYTES });
  yield* pipeThrough(transform, withoutPadding(chunks, transform));
}

/**
 * Yields the chunks up to the end of the last member. zlib stops at the first zero after a member and
 * silently drops the rest, so this checks that the rest is padding.
 */
async function* withoutPadding(chunks: Chunks, transform: Gunzip): AsyncGenerator<Uint8Array> {
  let fed = 0;
  let ended = false;
  for await (const chunk of chunks) {
    if (!ended) yield chunk;
    fed += chunk.length;
    const dropped = chunk.subarray(-Math.min(chunk.length, fed - transform.bytesWritten));
    ended = fed > transform.bytesWritten;
    if (ended && dropped.some((byte) => byte !== 0)) {
      throw new Error(
        `unexpected data after the end of the gzip stream at byte ${transform.bytesWritten}`,
      );
    }
  }
}
