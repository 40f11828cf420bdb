import { mayStartThread, startThread } from "../../base/start_thread.ts";
import {
  claim,
  claimNext,
  createRing,
  RingReader,
  type ScannedBody,
  type SharedRing,
  stopRing,
} from "./body_ring.ts";
import type { BodyTask } from "./body_worker.ts";

/** The bodies that two threads search, and the values and tokens for which they search them. */
export interface BodySearch extends Pick<BodyTask, "ranges" | "searches" | "wanted" | "tokens"> {
  /**
   * Searches the body with the given index in the calling thread. The result is valid until the
   * next call. Returns undefined if this body cannot be searched in advance.
   */
  readonly scan: (body: number) => ScannedBody | undefined;
}

const THREAD: URL | string = new URL("./body_worker.ts", import.meta.url);
/**
 * Minimum file size, in bytes, for which a second thread saves time. Starting the thread takes 10
 * to 20 ms.
 */
// bench: scripts/bench/har.ts, JSON responses only: -5 % of the elapsed time at 105 MB, -10 % at 524 MB
const SMALLEST_FILE = 64 * 2 ** 20;
/** Minimum size of the ring buffer in bytes. */
const SMALLEST_RING = 2 ** 21;
/** Maximum size of the ring buffer in bytes. */
const LARGEST_RING = 2 ** 24;
/** Minimum size of the JSON strings in a block of bodies, except for the last block, in bytes. */
const BLOCK = 2 ** 18;
/** Size in bytes of the searched bodies from which the main thread claims no more in advance. */
const MOST_AHEAD = 2 ** 22;

/**
 * A second thread that reads and searches the bodies of a large recording, while this thread
 * processes the results. Disposing of the object ends the thread.
 */
export class BodyThread implements Disposable {
  readonly #worker: Worker;
  readonly #file: Pick<BodyTask, "path" | "identity">;
  #ring: SharedRing | undefined;
  #isEnded = false;
  #failure: Error | undefined;

  /**
   * Starts a thread for the file at `path`, which has `size` bytes and whose `fileIdentity` is
   * `identity`. Returns undefined if a second thread would not save time, or if a checkout may not
   * start threads.
   */
  static start(path: string, identity: string, size: number): BodyThread | undefined {
    if (size < SMALLEST_FILE || navigator.hardwareConcurrency < 2) return undefined;
    return mayStartThread(THREAD) ? new BodyThread({ path, identity }) : undefined;
  }

  private constructor(file: Pick<BodyTask, "path" | "identity">) {
    this.#file = file;
    this.#worker = startThread("HAR", THREAD, (error) => this.#failure = error);
  }

  /**
   * Starts searching bodies. The thread takes part as soon as it has loaded its modules. Returns
   * undefined if the thread has ended or has already searched bodies. Throws RunError if the thread
   * could not be loaded.
   */
  search({ scan, ...task }: BodySearch): SharedSearch | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isEnded || this.#ring !== undefined) return undefined;
    const { ranges } = task;
    let longest = 0;
    for (let i = 1; i < ranges.length; i += 2) longest = Math.max(longest, ranges[i]);
    const ring = createRing(Math.min(Math.max(3 * longest, SMALLEST_RING), LARGEST_RING));
    const blocks = divide(ranges);
    this.#ring = ring;
    this.#worker.postMessage({ ...this.#file, ...task, blocks, ring } satisfies BodyTask);
    return new SharedSearch(ring, ranges, blocks, scan);
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    if (this.#ring !== undefined) stopRing(this.#ring);
    this.#worker.terminate();
  }
}

/** Divides bodies into blocks. Returns the first body of each block, and the number of bodies. */
function divide(ranges: Float64Array): Uint32Array {
  const blocks = [0];
  let size = 0;
  for (let i = 0; 2 * i < ranges.length; i++) {
    if (size >= BLOCK) {
      blocks.push(i);
      size = 0;
    }
    size += ranges[2 * i + 1];
  }
  return new Uint32Array([...blocks, ranges.length / 2]);
}

/**
 * A search of bodies by the main thread and a `BodyThread`. While the main thread would have to
 * wait for the other one, it searches bodies that the other thread has not claimed.
 */
export class SharedSearch {
  readonly #ring: SharedRing;
  readonly #reader: RingReader;
  readonly #ranges: Float64Array;
  readonly #blocks: Uint32Array;
  readonly #scan: BodySearch["scan"];
  /** Index of the next body to return. */
  #body = 0;
  /** Index of the block that contains the last body returned. */
  #block = -1;
  /** True if the main thread claimed this block. */
  #isOwn = false;
  /** Blocks after `#block` that the main thread has claimed. */
  readonly #claimed: number[] = [];
  /** Index of the next body to search in the last block that the main thread has claimed. */
  #next = 0;
  /** Index after the last body of that block. */
  #end = 0;
  /** Results that the main thread has found in advance. Undefined for bodies that it skipped. */
  readonly #found: (ScannedBody | undefined)[] = [];
  /** Size of the bodies in `#found` in bytes. */
  #foundBytes = 0;

  /** `ranges`, `blocks` and `scan` are those of the search that `ring` belongs to. */
  constructor(
    ring: SharedRing,
    ranges: Float64Array,
    blocks: Uint32Array,
    scan: BodySearch["scan"],
  ) {
    this.#ring = ring;
    this.#reader = new RingReader(ring);
    this.#ranges = ranges;
    this.#blocks = blocks;
    this.#scan = scan;
  }

  /**
   * Returns the next body, as views that are valid until the next call. Returns undefined if the
   * caller must search the body itself.
   */
  next(): ScannedBody | undefined {
    const body = this.#body++;
    if (body === this.#blocks[this.#block + 1]) this.#enterBlock();
    if (!this.#isOwn) return this.#reader.next(() => this.#searchAhead());
    if (body === this.#next) {
      this.#next++;
      return undefined;
    }
    const found = this.#found.shift();
    this.#foundBytes -= found?.utf8.length ?? 0;
    return found;
  }

  #enterBlock(): void {
    const block = ++this.#block;
    if (this.#claimed[0] === block) {
      this.#claimed.shift();
      this.#isOwn = true;
    } else {
      this.#isOwn = claim(this.#ring, block);
      if (this.#isOwn) this.#begin(block);
    }
  }

  #begin(block: number): void {
    this.#next = this.#blocks[block];
    this.#end = this.#blocks[block + 1];
  }

  /** Searches one body in advance. Returns false if there are no more bodies to search. */
  #searchAhead(): boolean {
    if (this.#next === this.#end) {
      if (this.#foundBytes >= MOST_AHEAD) return false;
      const block = claimNext(this.#ring);
      if (block >= this.#blocks.length - 1) return false;
      this.#claimed.push(block);
      this.#begin(block);
    }
    const body = this.#next++;
    const isLong = this.#ranges[2 * body + 1] > BLOCK;
    const found = isLong ? undefined : this.#scan(body);
    this.#found.push(found && copyOf(found));
    this.#foundBytes += found?.utf8.length ?? 0;
    return true;
  }
}

function copyOf({ utf8, leaves, tokens }: ScannedBody): ScannedBody {
  return {
    utf8: utf8.slice(),
    leaves: leaves && { count: leaves.count, words: leaves.words.slice() },
    tokens,
  };
}
