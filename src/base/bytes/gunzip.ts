import { createGunzip, type Gunzip } from "node:zlib";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";
import { through } from "./through.ts";

/**
 * The text in a gzip file: of all its members, one after the other, zeros behind the last one left
 * out. Throws an `Error` that says what was found when the file is cut off, damaged, or goes on with
 * something else.
 */
export async function* gunzip(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const transform = createGunzip({ chunkSize: CHUNK_BYTES });
  yield* through(transform, membersIn(chunks, transform));
}

/**
 * The chunks up to where zlib takes no more. It stops at the first zero behind a member and drops, in
 * silence, whatever follows; so what follows is looked at here.
 */
async function* membersIn(chunks: Chunks, transform: Gunzip): AsyncGenerator<Uint8Array> {
  let fed = 0;
  let ended = false;
  for await (const chunk of chunks) {
    if (!ended) yield chunk;
    fed += chunk.length;
    const dropped = chunk.subarray(-Math.min(chunk.length, fed - transform.bytesWritten));
    ended = fed > transform.bytesWritten;
    if (ended && dropped.some((byte) => byte !== 0)) {
      throw new Error(
        `something other than gzip follows its end at byte ${transform.bytesWritten}`,
      );
    }
  }
}
