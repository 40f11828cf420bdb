import { createZstdDecompress } from "node:zlib";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";
import { pipeThrough } from "./pipe_through.ts";
import { ZstdFrameWalker } from "./zstd_frame.ts";

/**
 * Decompresses a zstd file: all its frames in order, without skippable ones. Finds the frames itself,
 * because Deno's decompressor stops after the first one and accepts a truncated file. Throws an
 * `Error` if the file is truncated, damaged, or followed by other data.
 */
export async function* unzstd(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const frames = new Frames(chunks);
  while (await frames.more()) yield* decompress(frames.next());
}

/**
 * Decompresses one frame. Deno's decompressor throws for damaged data where only a global `error`
 * handler can catch it, which would end the program. This passes the error to the stream instead.
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

  /** Reports whether any bytes are left. */
  async more(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#chunk = value;
    }
    return true;
  }

  /** Yields the compressed bytes of the next frame. Yields nothing for a skippable frame. */
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
