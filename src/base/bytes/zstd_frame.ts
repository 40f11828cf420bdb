/** First bytes of a zstd frame. */
export const ZSTD_MAGIC: readonly number[] = [0x28, 0xb5, 0x2f, 0xfd];

const BLOCK_RLE = 1;
const BLOCK_RESERVED = 3;

/** Next part of a zstd frame: the number of bytes to read or to skip. */
type Step = { readonly read: number } | { readonly skip: number };

/**
 * Reports whether the four bytes of `magic` start a skippable zstd frame (0x184D2A50 to 0x184D2A5F,
 * little-endian).
 */
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
  /** True after the end of the frame has been read. */
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

  /**
   * Reads the next chunk. Returns the offset in the chunk where the frame ends, or the length of
   * the chunk if the frame continues.
   */
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

/**
 * Returns the number of frame header bytes after the descriptor. They store the window size, the
 * dictionary ID and the content size.
 */
function headerBytes(descriptor: number): number {
  const single = (descriptor >> 5) & 1;
  const window = 1 - single;
  const dictionary = [0, 1, 2, 4][descriptor & 3];
  const content = [single, 2, 4, 8][descriptor >> 6];
  return window + dictionary + content;
}
