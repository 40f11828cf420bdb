import type { Limits } from "./network_options.ts";
import type { HttpResponse, Outgoing, ResponseNeeds } from "./sender.ts";

const SMALL = 4 * 1024;
const MEDIUM = 16 * 1024;
const LARGE = 64 * 1024;

/** Buffer to read into, accessible as bytes and as a `DataView`. */
export class ReadBuffer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }
}

/** A connection borrows a buffer for each exchange and, while it is idle, for the next one. */
export class ReadBuffers {
  readonly #small: ReadBuffer[] = [];
  readonly #medium: ReadBuffer[] = [];
  readonly #large: ReadBuffer[] = [];

  /** Returns a buffer of 4 KiB, or of 16 KiB if more are expected. */
  take(expected: number = 0): ReadBuffer {
    return expected > SMALL
      ? this.#medium.pop() ?? new ReadBuffer(MEDIUM)
      : this.#small.pop() ?? new ReadBuffer(SMALL);
  }

  /** Takes back a buffer that a read has filled completely, and returns a 64 KiB buffer instead. */
  enlarge(buffer: ReadBuffer): ReadBuffer {
    this.give(buffer);
    return this.#large.pop() ?? new ReadBuffer(LARGE);
  }

  give(buffer: ReadBuffer): void {
    const { length } = buffer.bytes;
    (length === SMALL ? this.#small : length === MEDIUM ? this.#medium : this.#large).push(buffer);
  }
}

/** How a response head delimits the body, and whether the connection stays open. */
export interface Framing {
  readonly length: number;
  readonly chunked: boolean;
  /** True if the connection stays open and the end of the body is unambiguous. */
  readonly persists: boolean;
}

/** Minimum and maximum size of a cached head, in bytes. */
const MIN_SIZE = 8, MAX_SIZE = 4096;
/** Heads to parse after one has been cached: copying takes time, wasted if all are different. */
const SKIPPED_HEADS = 7;

/**
 * Cache of one response head. Most servers always send the same head, except for the time in
 * `Date`, and an identical head need not be parsed again. bench: scripts/bench/http.ts. Parsing a
 * head then takes 835 instead of 5,528 instructions. See docs/decisions/0001-http-client.md.
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

  /** Caches a head and its parsed values, if its size is suitable and the last one is old. */
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

  /** Reports whether a cached head equals the bytes from `start`, at least `size` of them. */
  matches(view: DataView, start: number): boolean {
    const known = this.#copy.view;
    const last = this.size - MIN_SIZE;
    if (last < 0) return false;
    for (let at = 0; at < last; at += 8) if (differ(known, at, view, start + at)) return false;
    return !differ(known, last, view, start + last);
  }

  applyTo(response: HttpResponse): void {
    response.status = this.#status;
    if (this.#headers.length > 0) response.headers = this.#headers.slice();
  }
}

function differ(a: DataView, i: number, b: DataView, j: number): boolean {
  const first = a.getInt32(i, true) ^ b.getInt32(j, true);
  return (first | a.getInt32(i + 4, true) ^ b.getInt32(j + 4, true)) !== 0;
}

/** Response heads cached by a sender, by the `ResponseNeeds` of each request in the plan. */
export class KnownHeads {
  readonly #heads = new WeakMap<ResponseNeeds, KnownHead>();

  get(needs: ResponseNeeds): KnownHead {
    let head = this.#heads.get(needs);
    if (head === undefined) this.#heads.set(needs, head = new KnownHead());
    return head;
  }
}

/** Options and caches shared by all connections of a sender with one HTTP version. */
export interface ConnectionShared {
  readonly limits: Limits;
  readonly keepAlive: boolean;
  readonly buffers: ReadBuffers;
  readonly heads: KnownHeads;
}

/** One connection to an origin, over HTTP/1.1 or HTTP/2. */
export interface Connection {
  /** True if the connection can run several exchanges at the same time (HTTP/2). */
  readonly shared: boolean;
  /** False as soon as the connection has ended, or bytes arrived that respond to no request. */
  readonly usable: boolean;
  /** Time of the end of the last exchange, or of the last bytes over HTTP/2; Infinity before. */
  readonly idleSince: number;
  /**
   * Sends `request` and fills in `response`. Sending begins at `from`, a `performance.now()` time.
   * Rejects with an `ExchangeError` or a system error.
   */
  exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void>;
  /** Aborts one exchange, so that its promise rejects. Others continue. */
  abort(response: HttpResponse): void;
  retire(): void;
  /** Closes the connection at once, and rejects the exchanges in progress. */
  close(): void;
}

/** Byte stream, with or without TLS. At most one read and one write may be pending. */
export interface Wire {
  /** Returns the number of bytes read, or null at the end of the stream. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes at least one byte from the beginning of `bytes`. Returns the number written. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** Closes a connection. Ignores errors, because the connection may already be closed. */
export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // It was already closed.
  }
}

const settled = Promise.resolve();
let batchAt = NaN;
const endBatch = () => void (batchAt = NaN);

/**
 * Returns the time at which the event loop delivered the current batch of reads and writes. All of
 * them complete before any callback runs, so one time per batch is more accurate than one per
 * response. bench: scripts/bench/engine.ts
 */
export function batchTime(): number {
  if (batchAt !== batchAt) {
    batchAt = performance.now();
    // Runs after all handlers that are already due.
    settled.then(endBatch);
  }
  return batchAt;
}
