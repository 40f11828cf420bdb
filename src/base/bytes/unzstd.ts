import { createZstdDecompress } from "node:zlib";
import { CHUNK_BYTES, type Chunks } from "./chunks.ts";
import { through } from "./through.ts";
import { ZstdFrameWalker } from "./zstd_frame.ts";

/**
 * The text in a zstd file: of all its frames, one after the other, skippable ones left out. The
 * frames are walked here because Deno's decompressor stops after the first one and takes a file that
 * is cut off for a whole one. Throws an `Error` that says what was found.
 */
export async function* unzstd(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const frames = new Frames(chunks);
  while (await frames.more()) yield* decompress(frames.next());
}

/**
 * Damaged data makes Deno's decompressor throw where nobody can catch it but the global handler, which
 * would end the program; it is led back to the stream that it belongs to.
 */
async function* decompress(frame: Chunks): AsyncGenerator<Uint8Array> {
  const transform = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  const lead = (event: ErrorEvent) => {
    if (!String(event.error?.message).startsWith("Zstd decompress error")) return;
    event.preventDefault();
    transform.destroy(event.error);
  };
  globalThis.addEventListener("error", lead);
  try {
    yield* through(transform, frame);
  } finally {
    globalThis.removeEventListener("error", lead);
  }
}

/** Chunks, cut where frames end. */
class Frames {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Whether anything is left. */
  async more(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#chunk = value;
    }
    return true;
  }

  /** The bytes of the next frame; nothing of a skippable one. */
  async *next(): AsyncGenerator<Uint8Array> {
    const walker = new ZstdFrameWalker();
    while (!walker.done) {
      if (!await this.more()) throw new Error("it is cut off within a frame");
      const end = walker.walk(this.#chunk);
      const piece = this.#chunk.subarray(0, end);
      this.#chunk = this.#chunk.subarray(end);
      if (!walker.skippable) yield piece;
    }
  }
}
