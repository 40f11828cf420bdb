import type { HttpResponse, ResponseNeeds } from "../sender.ts";
import { ReadBuffer } from "./read_buffers.ts";

/** What a head says of its body's end and of the connection. */
export interface Framing {
  /** The Content-Length, or -1. */
  readonly length: number;
  /** Whether the body comes in chunks. */
  readonly chunked: boolean;
  /** Whether the head leaves the connection open, and where the body ends beyond doubt. */
  readonly persists: boolean;
}

/** Larger heads, in bytes, are not remembered. */
const LARGEST = 4096;
/** So many that differ are passed over before one is remembered: all of them may differ. */
const PASSED_OVER = 7;

/**
 * A head that answered a request, and what was read of it. Most servers say the same every time, but
 * for the second in `Date`: what is the same byte for byte need not be parsed again.
 */
export class KnownHead implements Framing {
  /** In bytes, the empty line included; 0 when none is known. */
  size = 0;
  length: number = -1;
  chunked = false;
  persists = false;
  #status = 0;
  #headers: HttpResponse["headers"] = [];
  #copy = new ReadBuffer(256);
  #passedOver = PASSED_OVER;

  /** Remembers the head in the first `size` bytes of `buffer`, that was read into `framing` and `reply`. */
  remember(buffer: ReadBuffer, size: number, framing: Framing, reply: HttpResponse): void {
    if (size > LARGEST || this.#passedOver++ < PASSED_OVER) return;
    this.#passedOver = 0;
    if (size > this.#copy.bytes.length) this.#copy = new ReadBuffer(LARGEST);
    this.#copy.bytes.set(buffer.bytes.subarray(0, size));
    this.#status = reply.status;
    this.#headers = reply.headers.slice();
    this.length = framing.length;
    this.chunked = framing.chunked;
    this.persists = framing.persists;
    this.size = size;
  }

  /** Whether the first `size` bytes of `buffer` begin with the very same head. */
  begins(buffer: ReadBuffer, size: number): boolean {
    if (this.size === 0 || size < this.size) return false;
    // Eight bytes at a time, as numbers: only zeroes are equal and yet differ, and heads have no NUL.
    const known = this.#copy.view;
    const { view } = buffer;
    const last = this.size - 8;
    for (let at = 0; at < last; at += 8) {
      if (known.getFloat64(at, true) !== view.getFloat64(at, true)) return false;
    }
    return known.getFloat64(last, true) === view.getFloat64(last, true);
  }

  /** Puts into an empty reply what the head says. */
  tell(reply: HttpResponse): void {
    reply.status = this.#status;
    if (this.#headers.length > 0) reply.headers = this.#headers.slice();
  }
}

/** The head known of each request of a plan: its `ResponseNeeds` are one object for all that it sends. */
export class KnownHeads {
  readonly #heads = new WeakMap<ResponseNeeds, KnownHead>();

  /** The one for what is read with these `wants`. */
  of(wants: ResponseNeeds): KnownHead {
    let head = this.#heads.get(wants);
    if (head === undefined) this.#heads.set(wants, head = new KnownHead());
    return head;
  }
}
