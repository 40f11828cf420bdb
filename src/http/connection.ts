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
