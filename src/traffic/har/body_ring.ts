import type { LeafRecords } from "./scan/leaf_reader.ts";

/** The tokens that a `TokenScanner` found in a body, in the same form as in `FoundTokens`. */
export interface TokenRecords {
  readonly found: Int32Array;
  readonly isAscii: boolean;
}

/** A body, with the results of the scanners that searched it. */
export interface ScannedBody {
  /** The text of the body in UTF-8. */
  readonly utf8: Uint8Array;
  /**
   * Leaves (strings and numbers) of the JSON text, which starts after any byte order mark.
   * Undefined if the body was not searched for leaves, or the scanner cannot read it.
   */
  readonly leaves: LeafRecords | undefined;
  /**
   * Tokens that a `TokenScanner` found in the body. Undefined if the body was not searched for
   * tokens, as when `leaves` is defined, or if it contains too many of them.
   */
  readonly tokens: TokenRecords | undefined;
}

/**
 * Ring buffer in shared memory through which one thread passes bodies to another thread. Each
 * thread claims the next block of bodies when it has searched its previous one, so that both
 * threads have work until all blocks are claimed.
 */
export interface SharedRing {
  /**
   * State of the buffer, which both threads share: one integer for each index from `WRITTEN` to
   * `WAITING`.
   */
  readonly control: Int32Array;
  /** Buffer for the records, as 32-bit words. Its length is a power of two. */
  readonly words: Int32Array;
}

/** Index in `control` of the number of words that the writer has written, modulo 2 ** 32. */
const WRITTEN = 0;
/** Index in `control` of the number of words that the reader has read, modulo 2 ** 32. */
const READ = 1;
/** Index in `control` of the number of blocks of bodies that either thread has claimed. */
const CLAIMED = 2;
/** Index in `control` of a number that is nonzero if either thread has stopped. */
const STOPPED = 3;
/** Index in `control` of a number that is nonzero if the writer waits for room in the buffer. */
const WAITING = 4;

const WORD = 4;
/**
 * Number of words before the content of a body: the kind of the record, the length in bytes, the
 * number of leaves, the number of words for leaves and for tokens, and whether the text is ASCII.
 */
const HEADER = 6;
/** Kind of a record that fills the rest of the buffer. The next record is at the buffer's start. */
const WRAP = 0;
/** Kind of a record without content: the reader searches the body itself. */
const LEFT = 1;
/** Kind of a record that contains a body and the results of the search. */
const SCANNED = 2;

/** Default time after which the reader stops waiting for a record, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Allocates a ring buffer of at least `bytes` bytes. */
export function createRing(bytes: number): SharedRing {
  const size = 2 ** Math.ceil(Math.log2(bytes));
  return {
    control: new Int32Array(new SharedArrayBuffer(5 * WORD)),
    words: new Int32Array(new SharedArrayBuffer(size)),
  };
}

/** Claims the next block of bodies for this thread. Returns its index. */
export function claimNext({ control }: SharedRing): number {
  return Atomics.add(control, CLAIMED, 1);
}

/**
 * Claims the block with the given index for this thread, if it is the next one. Returns false if it
 * has already been claimed.
 */
export function claim({ control }: SharedRing, block: number): boolean {
  return Atomics.compareExchange(control, CLAIMED, block, block + 1) === block;
}

/** Ends the exchange of bodies, and wakes the other thread. */
export function stopRing({ control }: SharedRing): void {
  Atomics.store(control, STOPPED, 1);
  Atomics.notify(control, WRITTEN);
  Atomics.notify(control, READ);
}

/** Writes bodies to a ring buffer. Waits while it is full. */
export class RingWriter {
  readonly #control: Int32Array;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  #written = 0;

  constructor({ control, words }: SharedRing) {
    this.#control = control;
    this.#words = words;
    this.#bytes = new Uint8Array(words.buffer);
  }

  /** True if the reader does not need any more bodies. */
  get isStopped(): boolean {
    return Atomics.load(this.#control, STOPPED) !== 0;
  }

  /** Writes a record without content, so that the reader searches the next body itself. */
  leave(): void {
    const start = this.#reserve(HEADER);
    this.#words[start] = LEFT;
    this.#finish(HEADER);
  }

  /**
   * Writes the next body, and what the search found in it, to the buffer. If the body takes more
   * than half of the buffer, calls `leave` instead, so that the reader searches the body itself.
   */
  add({ utf8, leaves, tokens }: ScannedBody): void {
    const leafWords = leaves?.words.length ?? 0;
    const tokenWords = tokens?.found.length ?? 0;
    const length = HEADER + leafWords + tokenWords + Math.ceil(utf8.length / WORD);
    if (length > this.#words.length / 2) return this.leave();
    const words = this.#words;
    const start = this.#reserve(length);
    words[start] = SCANNED;
    words[start + 1] = utf8.length;
    words[start + 2] = leaves?.count ?? -1;
    words[start + 3] = leafWords;
    words[start + 4] = tokens === undefined ? -1 : tokenWords;
    words[start + 5] = tokens?.isAscii ? 1 : 0;
    if (leaves !== undefined) words.set(leaves.words, start + HEADER);
    if (tokens !== undefined) words.set(tokens.found, start + HEADER + leafWords);
    this.#bytes.set(utf8, WORD * (start + HEADER + leafWords + tokenWords));
    this.#finish(length);
  }

  /**
   * Waits until the buffer has room for a record of `length` words. Returns the index of its first
   * word.
   */
  #reserve(length: number): number {
    const start = this.#written & (this.#words.length - 1);
    const rest = this.#words.length - start;
    if (length <= rest) {
      this.#waitFor(length);
      return start;
    }
    this.#waitFor(rest + length);
    this.#words[start] = WRAP;
    this.#written = (this.#written + rest) | 0;
    return 0;
  }

  #waitFor(length: number): void {
    for (;;) {
      const read = Atomics.load(this.#control, READ);
      const used = (this.#written - read) | 0;
      if (used + length <= this.#words.length || this.isStopped) return;
      Atomics.store(this.#control, WAITING, 1);
      Atomics.wait(this.#control, READ, read);
    }
  }

  #finish(length: number): void {
    this.#written = (this.#written + length) | 0;
    // A reader that stopped may no longer read from the buffer.
    if (this.isStopped) return;
    Atomics.store(this.#control, WRITTEN, this.#written);
    Atomics.notify(this.#control, WRITTEN);
  }
}

/** Reads bodies from a ring buffer. Waits for bodies that have not been written yet. */
export class RingReader {
  readonly #ring: SharedRing;
  readonly #control: Int32Array;
  readonly #words: Int32Array;
  #read = 0;
  #isAtEnd = false;
  readonly #patienceMs: number;

  /**
   * Creates a reader. If it has waited for a record for `patienceMs` milliseconds, it stops the
   * ring.
   */
  constructor(ring: SharedRing, patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
    this.#ring = ring;
    this.#control = ring.control;
    this.#words = ring.words;
  }

  /**
   * Returns the next body, as views that are valid until the next call. Until that body has been
   * written, calls `work`, which returns false if there is nothing else to do. Returns undefined if
   * the caller must search the body itself, because the other thread has skipped it, has stopped or
   * takes too long.
   */
  next(work: () => boolean): ScannedBody | undefined {
    this.#release();
    if (!this.#waitForRecord(work)) return undefined;
    const words = this.#words;
    let start = this.#read & (words.length - 1);
    if (words[start] === WRAP) {
      this.#read = (this.#read + words.length - start) | 0;
      start = 0;
    }
    if (words[start] === LEFT) {
      this.#read = (this.#read + HEADER) | 0;
      return undefined;
    }
    const length = words[start + 1];
    const count = words[start + 2];
    const tokenCount = words[start + 4];
    const leaves = start + HEADER;
    const tokens = leaves + words[start + 3];
    const text = tokens + Math.max(tokenCount, 0);
    this.#read = (this.#read + text + Math.ceil(length / WORD) - start) | 0;
    return {
      utf8: new Uint8Array(words.buffer, text * WORD, length),
      leaves: count < 0 ? undefined : { count, words: words.subarray(leaves, tokens) },
      tokens: tokenCount < 0 ? undefined : {
        found: words.subarray(tokens, text),
        isAscii: words[start + 5] !== 0,
      },
    };
  }

  /**
   * Lets the writer overwrite the records that this thread has read. Wakes the writer only when
   * half of the buffer is free, because waking a thread takes as long as searching a body.
   */
  #release(): void {
    const control = this.#control;
    Atomics.store(control, READ, this.#read);
    if (Atomics.load(control, WAITING) === 0) return;
    if (((Atomics.load(control, WRITTEN) - this.#read) | 0) > this.#words.length / 2) return;
    Atomics.store(control, WAITING, 0);
    Atomics.notify(control, READ);
  }

  /** Waits for the next record. Returns false if there will be no more records. */
  #waitForRecord(work: () => boolean): boolean {
    let wasStopped = false;
    while (!this.#isAtEnd && Atomics.load(this.#control, WRITTEN) === this.#read) {
      // The writer may have written a record before it stopped, so check again.
      this.#isAtEnd = wasStopped;
      if (Atomics.load(this.#control, STOPPED) !== 0) wasStopped = true;
      else if (!work()) {
        const result = Atomics.wait(this.#control, WRITTEN, this.#read, this.#patienceMs);
        if (result !== "timed-out") continue;
        // This thread searches the remaining bodies, so the other one must not claim any.
        this.#isAtEnd = true;
        stopRing(this.#ring);
      }
    }
    return !this.#isAtEnd;
  }
}
