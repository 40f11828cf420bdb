/**
 * Size of the first chunk of a file, in bytes. It is small because many files may be open at once,
 * and often only their first bytes are read.
 */
const FIRST_BYTES = 64 * 1024;

/** Chunk buffers of files that are no longer being read. The next files reuse them. */
const freeBuffers: Uint8Array<ArrayBuffer>[] = [];
/**
 * A stream of byte chunks. Each chunk is valid only until the next one is requested, because both
 * may share a buffer.
 */
export type Chunks = AsyncIterable<Uint8Array>;

/**
 * Chunk size in bytes for reading and decompressing inputs. The first chunk of a file is smaller.
 */
export const CHUNK_BYTES = 256 * 1024;

/**
 * Yields the bytes of an open file from its current position, including bytes that are appended
 * while it is being read. Reads synchronously, because an asynchronous read takes several times as
 * long. All chunks after the first share one buffer. Throws an `Error` if fewer than `size` bytes
 * can be read because the file was truncated.
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

/**
 * Creates the error for a file that was truncated while it was being read. `size` and `to` are its
 * original size and its new size, in bytes.
 */
export function shrunkFileError(size: number, to: number): Error {
  return new Error(
    `it shrank while it was being read: it had ${size} bytes, but ended after ${to} bytes`,
  );
}

/**
 * Returns a key that identifies a file independently of its path: its device and inode numbers. The
 * key is not reliable on Windows, which may report neither number.
 */
export function fileIdentity({ dev, ino }: Pick<Deno.FileInfo, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
