import type { HttpResponse, ResponseNeeds } from "./sender.ts";
import { ReadBuffer } from "./read_buffers.ts";

/** How a response head delimits the body, and whether the connection stays open. */
export interface Framing {
  /** Value of Content-Length in bytes, or -1 if the header is missing. */
  readonly length: number;
  /** True if the body is chunked. */
  readonly chunked: boolean;
  /** True if the connection stays open and the end of the body is unambiguous. */
  readonly persists: boolean;
}

/** Minimum and maximum size of a cached head, in bytes. */
const MIN_SIZE = 8, MAX_SIZE = 4096;
/**
 * After a head has been cached, the number of heads to parse before caching another. Copying a head
 * into the cache takes time, which is wasted if every head is different.
 */
const SKIPPED_HEADS = 7;

/**
 * Cache of one response head and its parsed values. Most servers always send the same head, except
 * for the time in `Date`, and an identical head need not be parsed again. bench:
 * scripts/bench/http.ts. With the cache, parsing a head takes 835 instead of 5,528 instructions,
 * and a whole request takes 13 % fewer. See docs/decisions/0001-http-client.md.
 */
export class KnownHead implements Framing {
  /** Size of the cached head in bytes, including the empty line; 0 if no head is cached. */
  size = 0;
  length: number = -1;
  chunked = false;
  persists = false;
  #status = 0;
  #headers: HttpResponse["headers"] = [];
  #copy = new ReadBuffer(256);
  #skipped = SKIPPED_HEADS;

  /**
   * Caches the head in `bytes[from, to)` together with its parsed values, unless its size is not
   * suitable or another head was cached recently.
   */
  remember(
    bytes: Uint8Array,
    from: number,
    to: number,
    framing: Framing,
    response: HttpResponse,
  ): void {
    const size = to - from;
    if (size < MIN_SIZE || size > MAX_SIZE || this.#skipped++ < SKIPPED_HEADS) return;
    this.#skipped = 0;
    if (size > this.#copy.bytes.length) this.#copy = new ReadBuffer(MAX_SIZE);
    this.#copy.bytes.set(bytes.subarray(from, to));
    this.#status = response.status;
    this.#headers = response.headers.slice();
    this.length = framing.length;
    this.chunked = framing.chunked;
    this.persists = framing.persists;
    this.size = size;
  }

  /**
   * Reports whether a head is cached and equals the bytes from `start`. There must be at least
   * `size` bytes.
   */
  matches(view: DataView, start: number): boolean {
    const known = this.#copy.view;
    const last = this.size - MIN_SIZE;
    if (last < 0) return false;
    for (let at = 0; at < last; at += 8) if (differ(known, at, view, start + at)) return false;
    return !differ(known, last, view, start + last);
  }

  /** Copies the parsed values of the cached head to an empty response. */
  applyTo(response: HttpResponse): void {
    response.status = this.#status;
    if (this.#headers.length > 0) response.headers = this.#headers.slice();
  }
}

/** Reports whether two ranges of eight bytes differ. */
function differ(a: DataView, i: number, b: DataView, j: number): boolean {
  const first = a.getInt32(i, true) ^ b.getInt32(j, true);
  return (first | a.getInt32(i + 4, true) ^ b.getInt32(j + 4, true)) !== 0;
}

/**
 * Response heads cached by a sender, one for each request in the plan. The `ResponseNeeds` object
 * identifies the request.
 */
export class KnownHeads {
  readonly #heads = new WeakMap<ResponseNeeds, KnownHead>();

  /**
   * Returns the cached response head for the request that `needs` identifies. On the first
   * call, the head is empty.
   */
  get(needs: ResponseNeeds): KnownHead {
    let head = this.#heads.get(needs);
    if (head === undefined) this.#heads.set(needs, head = new KnownHead());
    return head;
  }
}
