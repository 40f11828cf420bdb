import type { Transform } from "node:stream";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";

/**
 * Sends chunks through a node:zlib transform and yields what comes out. The next chunk is asked for
 * when the one before it has been used up, so chunks may share a buffer. Throws an `Error` that says
 * what is wrong with the data.
 */
export async function* through(transform: Transform, chunks: Chunks): AsyncGenerator<Uint8Array> {
  let failed: unknown;
  const feeding = feed(transform, chunks).catch((error) => {
    failed = error;
    transform.destroy(error);
  });
  try {
    for await (const { buffer, byteOffset, byteLength } of transform) {
      // Not node's own Buffer: its slice is no copy.
      const chunk = new Uint8Array(buffer, byteOffset, byteLength);
      yield chunk;
      letGo(chunk);
    }
    // What comes out may end before what goes in does; a failure after that has not been seen yet.
    await feeding;
    if (failed !== undefined) throw failed;
  } catch (error) {
    throw new Error(whatIsWrong(error as Error & { code?: string }), { cause: error });
  }
}

/** zlib's errors in words; others, such as those of the one who feeds, speak for themselves. */
function whatIsWrong({ code, message }: Error & { code?: string }): string {
  if (code === "Z_BUF_ERROR") return "it is cut off";
  const isZlib = code === "Z_DATA_ERROR" || message.startsWith("Zstd");
  return isZlib ? `it is damaged, or goes on with something else (${message})` : message;
}

/**
 * Frees the memory of a chunk at once: left to the garbage collector, a hundred chunks pile up first.
 * zlib fills its buffer piece by piece and takes a new one when it is full, so only then.
 */
function letGo({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (byteOffset + byteLength === CHUNK_BYTES) buffer.transfer(0);
}

async function feed(transform: Transform, chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) {
    await new Promise<void>((resolve, reject) => {
      transform.write(chunk, (error) => error ? reject(error) : resolve());
    });
  }
  transform.end();
}
