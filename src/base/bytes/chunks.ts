/** Size of the first chunk: small, because many files may be open and only peeked at. */
const FIRST_BYTES = 64 * 1024;

/** Buffers that are not in use. */
const freeBuffers: Uint8Array<ArrayBuffer>[] = [];
/**
 * A stream of byte chunks. Each chunk is valid only until the next one is requested, because its buffer
 * may be reused.
 */
export type Chunks = AsyncIterable<Uint8Array>;

/** Size, in bytes, of the chunks in which inputs are read and decompressed. */
export const CHUNK_BYTES = 256 * 1024;

/**
 * Yields the rest of an open file, also if it has grown. Reads synchronously, because an asynchronous
 * read costs several times the read itself. Reuses one buffer for every chunk but the first. Throws an
 * `Error` if the file was truncated and ends before `size` bytes.
 */
export async function* fileChunks(file: Deno.FsFile, size = 0): AsyncGenerator<Uint8Array> {
  const first = new Uint8Array(FIRST_BYTES);
  let done = file.readSync(first) ?? 0;
  if (done > 0) yield first.subarray(0, done);
  const buffer = freeBuffers.pop() ?? new Uint8Array(CHUNK_BYTES);
  try {
    for (let count; (count = file.readSync(buffer)) !== null; done += count) {
      yield buffer.subarray(0, count);
    }
  } finally {
    freeBuffers.push(buffer);
  }
  if (done < size) throw shrunkFileError(size, done);
}

/** Creates the error for a file that became smaller than it was when it was opened. */
export function shrunkFileError(size: number, to: number): Error {
  return new Error(`it shrank while it was read: it had ${size} bytes and ended after ${to}`);
}

/**
 * Returns a key that identifies a file independently of its path. Not reliable on Windows, which does
 * not report it.
 */
export function fileIdentity({ dev, ino }: Pick<Deno.FileInfo, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
