import { createGunzip, createZstdDecompress, type Gunzip } from "node:zlib";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";
import { ZstdFrameWalker } from "./zstd_frame.ts";
import type { Transform } from "node:stream";

/**
 * Decompresses all members of a gzip file in order. Ignores zero padding after the last member.
 * Throws an `Error` if the file is truncated, damaged or followed by other data.
 */
export async function* gunzip(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const transform = createGunzip({ chunkSize: CHUNK_BYTES });
  yield* pipeThrough(transform, withoutPadding(chunks, transform));
}

/**
 * Yields the chunks up to the end of the last gzip member. zlib stops at the first zero byte after
 * a member and drops the rest, so this function checks that the rest contains only zeros. Throws an
 * `Error` if it contains anything else.
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

/**
 * Decompresses all frames of a zstd file in order, and ignores skippable frames. Finds the frames
 * itself, because Deno's decompressor stops after the first one and accepts a truncated file.
 * Throws an `Error` if the file is truncated, damaged or followed by other data.
 */
export async function* unzstd(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const frames = new Frames(chunks);
  while (await frames.more()) yield* decompress(frames.next());
}

/**
 * Decompresses one zstd frame. For damaged data, Deno's decompressor throws an error that only a
 * global `error` handler can catch. This function passes the error to the stream instead, so that
 * the program does not end.
 */
async function* decompress(frame: Chunks): AsyncGenerator<Uint8Array> {
  const transform = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  const redirect = (event: ErrorEvent) => {
    if (!String(event.error?.message).startsWith("Zstd decompress error")) return;
    event.preventDefault();
    transform.destroy(event.error);
  };
  globalThis.addEventListener("error", redirect);
  try {
    yield* pipeThrough(transform, frame);
  } finally {
    globalThis.removeEventListener("error", redirect);
  }
}

/** Splits a stream of chunks into zstd frames. */
class Frames {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Reports whether the stream has more bytes. */
  async more(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#chunk = value;
    }
    return true;
  }

  /**
   * Yields the compressed bytes of the next frame, or nothing for a skippable frame. Throws an
   * `Error` if the stream ends within the frame.
   */
  async *next(): AsyncGenerator<Uint8Array> {
    const walker = new ZstdFrameWalker();
    while (!walker.done) {
      if (!await this.more()) throw new Error("it is truncated within a frame");
      const end = walker.walk(this.#chunk);
      const piece = this.#chunk.subarray(0, end);
      this.#chunk = this.#chunk.subarray(end);
      if (!walker.skippable) yield piece;
    }
  }
}

/**
 * Pipes chunks through a `node:zlib` transform and yields the output. Requests each chunk only
 * after the transform has consumed the preceding one, because both may share a buffer. Throws an
 * `Error` whose message describes the fault.
 */
async function* pipeThrough(
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
      // A plain Uint8Array, because `slice` on Node's Buffer does not copy.
      const chunk = new Uint8Array(buffer, byteOffset, byteLength);
      yield chunk;
      freeBuffer(chunk);
    }
    // Wait for the rest of the input, because it can still contain an error after the output ends.
    await feeding;
    if (failed !== undefined) throw failed;
  } catch (error) {
    throw new Error(describeFault(error as Error & { code?: string }), { cause: error });
  }
}

/** Describes a zlib or zstd error. Returns the message of any other error unchanged. */
function describeFault({ code, message }: Error & { code?: string }): string {
  if (code === "Z_BUF_ERROR") return "it is truncated";
  const isZlib = code === "Z_DATA_ERROR" || message.startsWith("Zstd");
  return isZlib ? `it is damaged, or followed by other data (${message})` : message;
}

/**
 * Frees a chunk's memory immediately, because otherwise about a hundred chunks accumulate before
 * garbage collection. Several output chunks of zlib share a buffer, so only the last of them may
 * free it.
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
