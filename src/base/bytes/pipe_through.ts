import type { Transform } from "node:stream";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";

/**
 * Pipes chunks through a node:zlib transform and yields the output. Requests a chunk only once the one
 * before has been consumed, so chunks may share a buffer. Throws an `Error` that describes the fault.
 */
export async function* pipeThrough(
  transform: Transform,
  chunks: Chunks,
): AsyncGenerator<Uint8Array> {
  let failed: unknown;
  const feeding = feed(transform, chunks).catch((error) => {
    failed = error;
    transform.destroy(error);
  });
  try {
    for await (const { buffer, byteOffset, byteLength } of transform) {
      // Not Node's Buffer, whose `slice` does not copy.
      const chunk = new Uint8Array(buffer, byteOffset, byteLength);
      yield chunk;
      freeBuffer(chunk);
    }
    // The output may end before the input: this detects a later failure.
    await feeding;
    if (failed !== undefined) throw failed;
  } catch (error) {
    throw new Error(describeFault(error as Error & { code?: string }), { cause: error });
  }
}

/** Describes an error of zlib. Returns the message of any other error, such as one of the input. */
function describeFault({ code, message }: Error & { code?: string }): string {
  if (code === "Z_BUF_ERROR") return "it is truncated";
  const isZlib = code === "Z_DATA_ERROR" || message.startsWith("Zstd");
  return isZlib ? `it is damaged, or followed by other data (${message})` : message;
}

/**
 * Frees the memory of a chunk at once: otherwise a hundred chunks accumulate before they are
 * garbage-collected. zlib fills its buffer piece by piece, so this frees only the last piece's buffer.
 */
function freeBuffer({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): void {
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
