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

/** Maximum size of a cached head, in bytes. */
const MAX_SIZE = 4096;
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
   * Caches the head in the first `size` bytes of `buffer` together with its parsed values, unless
   * it is too large or another head was cached recently.
   */
  remember(buffer: ReadBuffer, size: number, framing: Framing, response: HttpResponse): void {
    if (size > MAX_SIZE || this.#skipped++ < SKIPPED_HEADS) return;
    this.#skipped = 0;
    if (size > this.#copy.bytes.length) this.#copy = new ReadBuffer(MAX_SIZE);
    this.#copy.bytes.set(buffer.bytes.subarray(0, size));
    this.#status = response.status;
    this.#headers = response.headers.slice();
    this.length = framing.length;
    this.chunked = framing.chunked;
    this.persists = framing.persists;
    this.size = size;
  }

  /** Reports whether the first `size` bytes of `buffer` begin with the cached head. */
  matchesStart(buffer: ReadBuffer, size: number): boolean {
    if (this.size === 0 || size < this.size) return false;
    // Compares eight bytes at a time as floats. Only 0 and -0 are equal but have different bytes,
    // and a head contains no NUL bytes.
    const known = this.#copy.view;
    const { view } = buffer;
    const last = this.size - 8;
    for (let at = 0; at < last; at += 8) {
      if (known.getFloat64(at, true) !== view.getFloat64(at, true)) return false;
    }
    return known.getFloat64(last, true) === view.getFloat64(last, true);
  }

  /** Copies the parsed values of the cached head to an empty response. */
  applyTo(response: HttpResponse): void {
    response.status = this.#status;
    if (this.#headers.length > 0) response.headers = this.#headers.slice();
  }
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
