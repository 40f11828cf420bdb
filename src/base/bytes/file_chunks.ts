import { CHUNK_BYTES } from "./chunks.ts";

/** Of many files that are open at once, no more is held than what is looked at before they are read. */
const FIRST_BYTES = 64 * 1024;
/** Buffers that nobody reads into. */
const idle: Uint8Array<ArrayBuffer>[] = [];

/**
 * What is left of an open file, read synchronously into a buffer that is used again for every chunk
 * but the first: asynchronous reads cost several times the read itself. It may have grown meanwhile;
 * throws an `Error` when it ends before `size` bytes: it was truncated.
 */
export async function* fileChunks(file: Deno.FsFile, size = 0): AsyncGenerator<Uint8Array> {
  const first = new Uint8Array(FIRST_BYTES);
  let done = file.readSync(first) ?? 0;
  if (done > 0) yield first.subarray(0, done);
  const buffer = idle.pop() ?? new Uint8Array(CHUNK_BYTES);
  try {
    for (let count; (count = file.readSync(buffer)) !== null; done += count) {
      yield buffer.subarray(0, count);
    }
  } finally {
    idle.push(buffer);
  }
  if (done < size) throw shrank(size, done);
}

/** Creates the error for a file that ended before the size that it had when it was opened. */
export function shrank(size: number, to: number): Error {
  return new Error(`it shrank while it was read: it had ${size} bytes and ended after ${to}`);
}
