import { InputError } from "../errors.ts";

/** A stream of chunks, each of which is valid only until the next one is requested. */
export type Chunks = AsyncIterable<Uint8Array>;

const EMPTY = new Uint8Array(0);

/** Joins byte arrays. */
export function concat<Buffer extends ArrayBufferLike = ArrayBuffer>(
  parts: readonly Uint8Array<Buffer>[],
): Uint8Array<Buffer | ArrayBuffer> {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Collects bytes that arrive in pieces. Allocates nothing before the first byte. */
export class ByteSink {
  #bytes: Uint8Array = EMPTY;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  reserve(capacity: number): void {
    if (capacity <= this.#bytes.length) return;
    const larger = new Uint8Array(capacity);
    larger.set(this.bytes);
    this.#bytes = larger;
  }

  append(chunk: Uint8Array, from: number, to: number): void {
    const size = this.#size + to - from;
    if (size > this.#bytes.length) this.reserve(Math.max(size, 2 * this.#bytes.length, 256));
    this.#bytes.set(chunk.subarray(from, to), this.#size);
    this.#size = size;
  }

  take(): Uint8Array {
    const taken = this.bytes;
    this.clear();
    return taken;
  }

  /** Keeps the buffer for the next bytes. */
  reset(): void {
    this.#size = 0;
  }

  /** Releases the buffer. */
  clear(): void {
    this.#bytes = EMPTY;
    this.#size = 0;
  }
}

/** Can be read once. `peek` returns its first bytes without consuming them. */
export class Peekable implements Chunks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #head: Uint8Array = EMPTY;

  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns the first `count` bytes, or fewer at the end. Reads only the chunks it needs. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#head.length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      this.#head = concat([this.#head, value]);
    }
    return this.#head.subarray(0, count);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const head = this.#head;
    this.#head = EMPTY;
    if (head.length > 0) yield head;
    for (let next; !(next = await this.#chunks.next()).done;) yield next.value;
  }
}

const MIB = 1024 * 1024;
/** Maximum size of a plan or a summary, in bytes. */
export const MAX_DOCUMENT_BYTES = 64 * MIB;

/** Enough to recognize the kind of a file. */
export const HEAD_BYTES: number = 64 * 1024;

export interface ByteSourceFacts {
  /** A path, or `standard input`. */
  readonly name: string;
  /** Size before decompression, in bytes. Absent for a stream. */
  readonly size?: number;
  /** Path of an uncompressed regular file, which can be read in slices. Absent for other inputs. */
  readonly slicePath?: string;
  /** Key returned by `fileIdentity`. It changes if the file is replaced. Absent for a stream. */
  readonly identity?: string;
}

/** An open input. Its decompressed content can be peeked at and then read once. */
export class ByteSource implements ByteSourceFacts, Disposable {
  readonly name: string;
  readonly size?: number;
  readonly slicePath?: string;
  readonly identity?: string;
  readonly #content: Peekable;
  readonly #stored: () => number;
  readonly #close: () => void;

  /** `content` is read once. `stored` returns the bytes read so far, before decompression. */
  constructor(facts: ByteSourceFacts, content: Chunks, stored: () => number, close: () => void) {
    this.name = facts.name;
    this.size = facts.size;
    this.slicePath = facts.slicePath;
    this.identity = facts.identity;
    this.#content = new Peekable(content);
    this.#stored = stored;
    this.#close = close;
  }

  get stored(): number {
    return this.#stored();
  }

  /** Throws `InputError` if the content cannot be read. */
  async peek(count: number): Promise<Uint8Array> {
    return await this.#withSource(this.#content.peek(count));
  }

  /** All content, also what was peeked at. Closes the input at its end. Throws `InputError`. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const chunks = this.#content[Symbol.asyncIterator]();
    try {
      for (let next; !(next = await this.#withSource(chunks.next())).done;) yield next.value;
    } finally {
      this.#close();
    }
  }

  /** Throws `InputError` if the content is larger than `max` bytes or damaged. */
  async bytes(max = Infinity): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.chunks()) {
      size += chunk.length;
      if (size > max) {
        const message = `cannot read ${this.name}: it is larger than ${max / MIB} MiB`;
        throw new InputError(message, { source: this.name });
      }
      parts.push(chunk.slice());
    }
    return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  async #withSource<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError(
        `cannot read ${this.name}: ${error instanceof Error ? error.message : error}`,
        { source: this.name, offset: this.stored },
        { cause: error },
      );
    }
  }
}

/** Size of the first chunk of a file: many files may be open, and often only for this chunk. */
const FIRST_BYTES = 64 * 1024;

/** Chunk buffers of files that are no longer being read. The next files reuse them. */
const freeBuffers: Uint8Array<ArrayBuffer>[] = [];

/** Size of the other chunks that are read or decompressed. */
export const CHUNK_BYTES = 256 * 1024;

/** Reads synchronously, which is several times as fast. Throws an `Error` below `size` bytes. */
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

/** Creates the error for a file that shrank from `size` to `to` bytes while it was read. */
export function shrunkFileError(size: number, to: number): Error {
  return new Error(
    `it shrank while it was being read: it had ${size} bytes, but ended after ${to} bytes`,
  );
}

/** Returns a key of a file that does not depend on its path. Not reliable on Windows. */
export function fileIdentity({ dev, ino }: Pick<Deno.FileInfo, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** Reads a body. Resolves to undefined, without the rest, if it is larger than `limit` bytes. */
export async function readBody(
  { body }: Pick<Request, "body">,
  limit: number,
): Promise<Uint8Array | undefined> {
  const known = new ByteSink();
  for await (const chunk of body ?? []) {
    if (known.size + chunk.length > limit) return undefined;
    known.append(chunk, 0, chunk.length);
  }
  return known.take();
}
