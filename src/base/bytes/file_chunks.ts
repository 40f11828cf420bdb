import { CHUNK_BYTES } from "./chunks.ts";

/**
 * What is left of an open file, read synchronously into one buffer that is used again for every
 * chunk: asynchronous reads cost several times the read itself. It may have grown meanwhile; throws an
 * `Error` when it ends before `size` bytes: it was truncated.
 */
export async function* fileChunks(file: Deno.FsFile, size = 0): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let done = 0;
  for (let count; (count = file.readSync(buffer)) !== null; done += count) {
    yield buffer.subarray(0, count);
  }
  if (done < size) throw shrank(size, done);
}

/** A file ended before the bytes that it had when it was opened. */
export function shrank(size: number, to: number): Error {
  return new Error(`it shrank from ${size} to ${to} bytes while it was read`);
}
