import { InputError } from "../errors.ts";
import type { Chunks } from "./chunks.ts";
import { Peekable } from "./peekable.ts";

const MIB = 1024 * 1024;
/** Most bytes of a plan or a summary. */
export const MAX_DOCUMENT_BYTES = 64 * MIB;

/** What is known of an input beside its bytes. */
export interface ByteSourceFacts {
  /** What the user called it: a path, or `standard input`. */
  readonly name: string;
  /** Bytes as they are stored (compressed, if they are); absent when the end is not known. */
  readonly size?: number;
  /** Path of a plain regular file, of which slices can be read too; absent for anything else. */
  readonly slicePath?: string;
  /** Tells the file at `slicePath` from another that takes its place, by `fileIdentity`. */
  readonly identity?: string;
}

/** An open input: its content, decompressed if need be, to be peeked at and then read once. */
export class ByteSource implements ByteSourceFacts, Disposable {
  readonly name: string;
  readonly size?: number;
  readonly slicePath?: string;
  readonly identity?: string;
  readonly #content: Peekable;
  readonly #stored: () => number;
  readonly #close: () => void;

  /** `content` is read once; `stored` counts the bytes taken so far; `close` may be called twice. */
  constructor(facts: ByteSourceFacts, content: Chunks, stored: () => number, close: () => void) {
    this.name = facts.name;
    this.size = facts.size;
    this.slicePath = facts.slicePath;
    this.identity = facts.identity;
    this.#content = new Peekable(content);
    this.#stored = stored;
    this.#close = close;
  }

  /** How many bytes have been taken from where they are stored: progress, to be held against `size`. */
  get stored(): number {
    return this.#stored();
  }

  /** The first `count` bytes of the content, or all of it when it is shorter. Throws InputError. */
  async peek(count: number): Promise<Uint8Array> {
    return await this.#blaming(this.#content.peek(count));
  }

  /**
   * The whole content, what was peeked at included; a chunk is valid until the next is asked for.
   * Throws InputError when it is cut off or damaged, and closes the input at its end.
   */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const chunks = this.#content[Symbol.asyncIterator]();
    try {
      for (let next; !(next = await this.#blaming(chunks.next())).done;) yield next.value;
    } finally {
      this.#close();
    }
  }

  /** Returns the whole content in one array. Throws InputError if it has more than `most` bytes. */
  async bytes(most = Infinity): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.chunks()) {
      size += chunk.length;
      if (size > most) {
        const message = `could not read ${this.name}: it has more than ${most / MIB} MiB`;
        throw new InputError(message, { source: this.name });
      }
      parts.push(chunk.slice());
    }
    return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  }

  /** Lets go of the input; what has not been read by then never will be. */
  [Symbol.dispose](): void {
    this.#close();
  }

  async #blaming<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError(
        `could not read ${this.name}: ${error instanceof Error ? error.message : error}`,
        { source: this.name, offset: this.stored },
        { cause: error },
      );
    }
  }
}
