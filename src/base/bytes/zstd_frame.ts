/** How a zstd frame begins. */
export const ZSTD_MAGIC: readonly number[] = [0x28, 0xb5, 0x2f, 0xfd];

const BLOCK_RLE = 1;
const BLOCK_RESERVED = 3;

/** What a frame's layout asks for next: bytes to look at, or bytes to pass over. */
type Step = { readonly read: number } | { readonly pass: number };

/** Whether the four first bytes of a frame are those of a skippable one (0x184D2A50 to 5F). */
export function isSkippable(magic: ArrayLike<number>): boolean {
  return (magic[0] & 0xf0) === 0x50 && magic[1] === 0x2a && magic[2] === 0x4d && magic[3] === 0x18;
}

/** Finds where a zstd frame ends (RFC 8878), from its headers alone, a chunk at a time. */
export class ZstdFrameWalker {
  /** Whether the frame has ended. */
  done = false;
  /** Whether it is a skippable frame; known as soon as a byte of it is. */
  skippable = false;
  readonly #layout = this.#frame();
  #step: Step;
  readonly #header: number[] = [];
  #passed = 0;

  constructor() {
    this.#step = this.#layout.next().value as Step;
  }

  /** Takes in the next chunk; gives the index in it at which the frame ends, or its length. */
  walk(chunk: Uint8Array): number {
    let at = 0;
    while (!this.done && at < chunk.length) {
      if ("read" in this.#step) {
        this.#header.push(chunk[at++]);
        if (this.#header.length === this.#step.read) this.#go(this.#header.splice(0));
      } else {
        const count = Math.min(this.#step.pass - this.#passed, chunk.length - at);
        at += count;
        this.#passed += count;
        if (this.#passed === this.#step.pass) this.#go([]);
      }
    }
    return at;
  }

  #go(read: number[]): void {
    let next = this.#layout.next(read);
    while (!next.done && "pass" in next.value && next.value.pass === 0) {
      next = this.#layout.next([]);
    }
    this.#passed = 0;
    if (next.done) this.done = true;
    else this.#step = next.value;
  }

  *#frame(): Generator<Step, void, number[]> {
    const first = yield { read: 1 };
    this.skippable = (first[0] & 0xf0) === 0x50;
    const magic = first.concat(yield { read: 3 });
    if (isSkippable(magic)) {
      const [a, b, c, d] = yield { read: 4 };
      yield { pass: a + b * 0x100 + c * 0x10000 + d * 0x1000000 };
      return;
    }
    if (!ZSTD_MAGIC.every((byte, i) => byte === magic[i])) {
      throw new Error("something other than zstd follows its end");
    }
    const [descriptor] = yield { read: 1 };
    yield { pass: headerBytes(descriptor) };
    for (let last = false; !last;) {
      const [a, b, c] = yield { read: 3 };
      last = (a & 1) === 1;
      const kind = (a >> 1) & 3;
      if (kind === BLOCK_RESERVED) throw new Error("it is damaged: a block of no known kind");
      yield { pass: kind === BLOCK_RLE ? 1 : (a >> 3) + (b << 5) + (c << 13) };
    }
    const hasChecksum = (descriptor & 4) !== 0;
    yield { pass: hasChecksum ? 4 : 0 };
  }
}

/** Length of the frame header behind its descriptor: window, dictionary, content size. */
function headerBytes(descriptor: number): number {
  const single = (descriptor >> 5) & 1;
  const window = 1 - single;
  const dictionary = [0, 1, 2, 4][descriptor & 3];
  const content = [single, 2, 4, 8][descriptor >> 6];
  return window + dictionary + content;
}
