import { createGunzip } from "node:zlib";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";
import { through } from "./transform.ts";

/** How a gzip file begins. */
export const GZIP_MAGIC: readonly number[] = [0x1f, 0x8b, 8];

/**
 * The text in a gzip file: of all its members, one after the other, zeros behind the last one left
 * out. Throws an `Error` that says what was found when the file is cut off, damaged, or goes on with
 * something else.
 */
export async function* gunzip(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const transform = createGunzip({ chunkSize: CHUNK_BYTES });
  let fed = 0;
  yield* through(transform, chunks, (chunk) => {
    fed += chunk.length;
    // zlib stops at the first zero between members and drops, in silence, whatever follows.
    const dropped = Math.min(chunk.length, fed - transform.bytesWritten);
    if (chunk.subarray(chunk.length - dropped).some((byte) => byte !== 0)) {
      throw new Error(
        `something other than gzip follows its end at byte ${transform.bytesWritten}`,
      );
    }
  });
}
