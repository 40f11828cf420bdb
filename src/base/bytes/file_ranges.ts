import { InputError } from "../errors.ts";
import { fileIdentity } from "./chunks.ts";

/** Minimum number of bytes to read from the file at once. */
const WINDOW = 16 * 1024;
/**
 * Number of bytes to read at once if a range starts in the buffered bytes, or less than `WINDOW`
 * after them. The next ranges are then probably nearby too.
 */
const LARGE_WINDOW = 256 * 1024;

/**
 * Rereads ranges of a file, so that their content need not stay in memory after the first read.
 * Disposing of the object closes the file.
 */
export class FileRanges implements Disposable {
  readonly #name: string;
  readonly #file: Deno.FsFile;
  readonly #version: string;
  #buffer = new Uint8Array(WINDOW);
  /**
   * Offset in the file of the first byte in the buffer. The file position is after the buffer's
   * last byte, so a read without a seek continues there.
   */
  #start = 0;
  #length = 0;

  /** Opens the file at `path`. Throws the operating system's error if that fails. */
  constructor(path: string) {
    this.#name = path;
    this.#file = Deno.openSync(path);
    this.#version = version(this.#file);
  }

  /** The key that `fileIdentity` returns for the file. */
  get identity(): string {
    return fileIdentity(this.#file.statSync());
  }

  /**
   * Returns the bytes at `[offset, offset + length)`, as a view that is valid until the next call.
   * Throws InputError if the file ends before the end of the range.
   */
  read(offset: number, length: number): Uint8Array {
    const at = offset - this.#start;
    if (at < 0 || at + length > this.#length) {
      this.#fill(offset, length);
      if (this.#length < length) throw this.changedError();
      return this.#buffer.subarray(0, length);
    }
    return this.#buffer.subarray(at, at + length);
  }

  /**
   * Fills the buffer with at least `length` bytes from `offset`, or with fewer if the file ends
   * earlier. Keeps bytes that the buffer already contains.
   */
  #fill(offset: number, length: number): void {
    const at = offset - this.#start;
    const isNear = at >= 0 && at < this.#length + WINDOW && this.#length > 0;
    const size = Math.max(length, isNear ? LARGE_WINDOW : WINDOW);
    const follows = isNear && at <= this.#length;
    const kept = follows ? this.#buffer.subarray(at, this.#length) : NOTHING;
    if (this.#buffer.length < size) {
      const larger = new Uint8Array(size);
      larger.set(kept);
      this.#buffer = larger;
    } else this.#buffer.set(kept);
    if (!follows) this.#file.seekSync(offset, Deno.SeekMode.Start);
    this.#start = offset;
    this.#length = kept.length;
    while (this.#length < size) {
      const count = this.#file.readSync(this.#buffer.subarray(this.#length, size));
      if (count === null) break;
      this.#length += count;
    }
  }

  /** Throws InputError if the file has been modified since it was opened. */
  assertUnchanged(): void {
    if (version(this.#file) !== this.#version) throw this.changedError();
  }

  /** Creates the error for a file that has been modified since it was opened. */
  changedError(): InputError {
    const message = `cannot read ${this.#name}: it changed while it was being read; try again`;
    return new InputError(message, { source: this.#name });
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#file.close();
  }
}

const NOTHING = new Uint8Array();

function version(file: Deno.FsFile): string {
  const { size, mtime } = file.statSync();
  return `${size} ${mtime?.getTime()}`;
}
