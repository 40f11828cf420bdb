import { InputError } from "../errors.ts";
import {
  ByteSource,
  type ByteSourceFacts,
  CHUNK_BYTES,
  type Chunks,
  fileChunks,
  fileIdentity,
  Peekable,
} from "./byte_source.ts";
import type { Transform } from "node:stream";
import { createGunzip, createZstdDecompress, type Gunzip } from "node:zlib";

const GZIP_MAGIC = [0x1f, 0x8b, 8];

/** Opens a path, or `-` for `stdin`. Decompresses gzip and zstd. Throws `InputError`. */
export async function openBytes(
  input: string,
  stdin: () => ReadableStream<Uint8Array>,
): Promise<ByteSource> {
  return input === "-" ? await openStream("standard input", stdin()) : await openFile(input);
}

async function openStream(name: string, stream: ReadableStream<Uint8Array>): Promise<ByteSource> {
  // Not awaited, because canceling a pipe may never complete and nothing depends on it.
  return await open({ name }, stream, () => void stream.cancel().catch(() => {}));
}

async function openFile(path: string): Promise<ByteSource> {
  let file: Deno.FsFile | undefined;
  const close = () => {
    file?.close();
    file = undefined;
  };
  try {
    file = Deno.openSync(path);
    const info = file.statSync();
    if (info.isDirectory) throw new Error("it is a directory, not a file");
    const size = info.isFile ? info.size : undefined;
    const facts = { name: path, size, identity: fileIdentity(info) };
    return await open(facts, fileChunks(file, size), close);
  } catch (error) {
    close();
    const message = `cannot read ${path}: ${reason(error, path)}`;
    throw new InputError(message, { source: path }, { cause: error });
  }
}

async function open(
  facts: ByteSourceFacts,
  chunks: Chunks,
  close: () => void,
): Promise<ByteSource> {
  let count = 0;
  const stored = new Peekable(countBytes(chunks, (bytes) => count += bytes));
  const decode = findDecoder(await stored.peek(4));
  const content = decode === undefined ? stored : decode(stored);
  const slicePath = decode === undefined && facts.size !== undefined ? facts.name : undefined;
  return new ByteSource({ ...facts, slicePath }, content, () => count, close);
}

/** Creates a source like `openBytes` for content that is not in a local file. */
export function deferBytes(
  facts: Omit<ByteSourceFacts, "slicePath">,
  chunks: Chunks,
  close: () => void,
): ByteSource {
  let count = 0;
  const content = async function* () {
    const stored = new Peekable(countBytes(chunks, (bytes) => count += bytes));
    const decode = findDecoder(await stored.peek(4));
    yield* decode === undefined ? stored : decode(stored);
  };
  return new ByteSource(facts, content(), () => count, close);
}

async function* countBytes(
  chunks: Chunks,
  add: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    add(chunk.length);
    yield chunk;
  }
}

function findDecoder(head: Uint8Array): ((chunks: Chunks) => Chunks) | undefined {
  const startsWith = (magic: readonly number[]) => magic.every((byte, i) => byte === head[i]);
  if (startsWith(GZIP_MAGIC)) return gunzip;
  return startsWith(ZSTD_MAGIC) || isSkippable(head) ? unzstd : undefined;
}

function reason(error: unknown, path: string): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.NotCapable) {
    return `the permission is missing; add \`--allow-read=${path}\` to \`deno run\``;
  }
  if (error instanceof Deno.errors.PermissionDenied) return "the operating system denies access";
  return error instanceof Error ? error.message : String(error);
}

/** Decompresses all members of a gzip file. Ignores zero padding after the last one. */
async function* gunzip(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const transform = createGunzip({ chunkSize: CHUNK_BYTES });
  yield* pipeThrough(transform, withoutPadding(chunks, transform));
}

/** zlib stops at a zero byte after a member and drops the rest: checks that it is all zeros. */
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

/** Finds the frames, because Deno's decompressor stops after one and accepts a truncated file. */
async function* unzstd(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const frames = new Frames(chunks);
  while (await frames.more()) yield* decompress(frames.next());
}

/** Passes the error for damaged data, which Deno throws globally, to the stream. */
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

/** Requests a chunk after the transform has consumed the last, because both may share a buffer. */
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

/** Otherwise, a hundred chunks accumulate. Only the last output chunk in a buffer may free it. */
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

const ZSTD_MAGIC: readonly number[] = [0x28, 0xb5, 0x2f, 0xfd];

const BLOCK_RLE = 1;
const BLOCK_RESERVED = 3;

type Step = { readonly read: number } | { readonly skip: number };

/** 0x184D2A50 to 0x184D2A5F. */
function isSkippable(magic: ArrayLike<number>): boolean {
  return (magic[0] & 0xf0) === 0x50 && magic[1] === 0x2a && magic[2] === 0x4d && magic[3] === 0x18;
}

/**
 * Finds the end of a zstd frame (RFC 8878), chunk by chunk. Parses only the headers.
 *
 * ```text
 * | magic | descriptor | rest of header | block header | block    | …      | checksum |
 * | 4     | 1          | 0 to 13        | 3            | variable | blocks | 0 or 4   |  bytes
 * ```
 */
export class ZstdFrameWalker {
  done = false;
  /** Valid after the first byte of the frame has been read. */
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
