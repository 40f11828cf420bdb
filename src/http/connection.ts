import type { KnownHeads } from "./known_head.ts";
import type { Limits } from "./network_options.ts";
import type { ReadBuffers } from "./read_buffers.ts";
import type { HttpResponse, Outgoing } from "./sender.ts";

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
  /**
   * True if the connection can be used for another request. Becomes false as soon as the event loop
   * has delivered the end of the connection, or bytes that respond to no request.
   */
  readonly usable: boolean;
  /**
   * `performance.now()` time at which the last exchange ended or, over HTTP/2, at which the last
   * bytes arrived; Infinity before that.
   */
  readonly idleSince: number;
  /**
   * Sends `request` and fills in `response`. `from` is the `performance.now()` time at which
   * sending begins. Rejects with an `ExchangeError` or a system error if the exchange fails or the
   * connection is closed.
   */
  exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void>;
  /**
   * Aborts the exchange that fills in `response`, so that its promise rejects. Other exchanges on
   * the connection continue.
   */
  abort(response: HttpResponse): void;
  /** Closes the connection as soon as no exchange is in progress. */
  retire(): void;
  /** Closes the connection at once, and rejects the exchanges in progress. */
  close(): void;
}

/**
 * Connected byte stream, with or without TLS, such as `Deno.Conn`. At most one read and one write
 * may be pending at a time.
 */
export interface Wire {
  /**
   * Reads bytes into `into`. Returns the number of bytes read, or null at the end of the stream.
   * Rejects if the stream is closed during the read.
   */
  read(into: Uint8Array): Promise<number | null>;
  /**
   * Writes at least one byte from the beginning of `bytes`. Returns the number of bytes written.
   */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes the stream at once; pending reads and writes reject. */
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
 * Returns the time at which the event loop delivered the current batch of completed reads and
 * writes. All reads of a batch have completed before any of their callbacks run, so taking the
 * time once per batch is more accurate than once per response. bench: scripts/bench/engine.ts
 */
export function batchTime(): number {
  if (batchAt !== batchAt) {
    batchAt = performance.now();
    // Runs after all handlers that are already due.
    settled.then(endBatch);
  }
  return batchAt;
}
