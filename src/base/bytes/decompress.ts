import type { Transform } from "node:stream";
import { createGunzip, createZstdDecompress, type Gunzip } from "node:zlib";
import { CHUNK_BYTES, type Chunks } from "./byte_source.ts";

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

class Frames {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async more(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#chunk = value;
    }
    return true;
  }

  /** Yields the compressed bytes of the next frame, or nothing for a skippable frame. */
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

/** First bytes of a zstd frame. */
export const ZSTD_MAGIC: readonly number[] = [0x28, 0xb5, 0x2f, 0xfd];

const BLOCK_RLE = 1;
const BLOCK_RESERVED = 3;

/** Next part of a zstd frame: the number of bytes to read or to skip. */
type Step = { readonly read: number } | { readonly skip: number };

/** Reports whether four bytes start a skippable zstd frame (0x184D2A50 to 0x184D2A5F). */
export function isSkippable(magic: ArrayLike<number>): boolean {
  return (magic[0] & 0xf0) === 0x50 && magic[1] === 0x2a && magic[2] === 0x4d && magic[3] === 0x18;
}

/**
 * Finds the end of a zstd frame (RFC 8878). Takes the frame chunk by chunk and parses only the
 * headers.
 *
 * ```text
 * | magic | descriptor | rest of header | block header | block    | …      | checksum |
 * | 4     | 1          | 0 to 13        | 3            | variable | blocks | 0 or 4   |  bytes
 * ```
 */
export class ZstdFrameWalker {
  done = false;
  /** True for a skippable frame. Valid after the first byte of the frame has been read. */
  skippable = false;
  readonly #layout = this.#frame();
  #step: Step;
  readonly #header: number[] = [];
  #skipped = 0;

  constructor() {
    this.#step = this.#layout.next().value as Step;
  }

  /** Returns the offset in the next chunk at which the frame ends, or the chunk's length. */
  walk(chunk: Uint8Array): number {
    let at = 0;
    while (!this.done && at < chunk.length) {
      if ("read" in this.#step) {
        this.#header.push(chunk[at++]);
        if (this.#header.length === this.#step.read) this.#advance(this.#header.splice(0));
      } else {
        const count = Math.min(this.#step.skip - this.#skipped, chunk.length - at);
        at += count;
        this.#skipped += count;
        if (this.#skipped === this.#step.skip) this.#advance([]);
      }
    }
    return at;
  }

  #advance(read: number[]): void {
    let next = this.#layout.next(read);
    while (!next.done && "skip" in next.value && next.value.skip === 0) {
      next = this.#layout.next([]);
    }
    this.#skipped = 0;
    if (next.done) this.done = true;
    else this.#step = next.value;
  }

  *#frame(): Generator<Step, void, number[]> {
    const first = yield { read: 1 };
    this.skippable = (first[0] & 0xf0) === 0x50;
    const magic = first.concat(yield { read: 3 });
    if (isSkippable(magic)) {
      const [a, b, c, d] = yield { read: 4 };
      yield { skip: a + b * 0x100 + c * 0x10000 + d * 0x1000000 };
      return;
    }
    if (!ZSTD_MAGIC.every((byte, i) => byte === magic[i])) {
      throw new Error("the last zstd frame is followed by data that is not zstd");
    }
    const [descriptor] = yield { read: 1 };
    yield { skip: headerBytes(descriptor) };
    for (let last = false; !last;) {
      const [a, b, c] = yield { read: 3 };
      last = (a & 1) === 1;
      const kind = (a >> 1) & 3;
      if (kind === BLOCK_RESERVED) throw new Error("it is damaged: unknown block type");
      yield { skip: kind === BLOCK_RLE ? 1 : (a >> 3) + (b << 5) + (c << 13) };
    }
    const hasChecksum = (descriptor & 4) !== 0;
    yield { skip: hasChecksum ? 4 : 0 };
  }
}

/** Returns the number of header bytes after the descriptor. */
function headerBytes(descriptor: number): number {
  const single = (descriptor >> 5) & 1;
  const window = 1 - single;
  const dictionary = [0, 1, 2, 4][descriptor & 3];
  const content = [single, 2, 4, 8][descriptor >> 6];
  return window + dictionary + content;
}
