import type { HttpResponse, Outgoing } from "../sender.ts";

/** One connection to an origin, over HTTP/1.1 or HTTP/2. */
export interface Connection {
  /** Whether the connection serves several exchanges at the same time (HTTP/2). */
  readonly shared: boolean;
  /** Whether the connection can serve another request. */
  readonly usable: boolean;
  /** Reports whether the peer still has the connection open. Call it before each reuse. */
  isAlive(now: number): boolean | Promise<boolean>;
  /**
   * Sends `request` and fills in `response`; `from` is the time at which sending begins. Rejects with
   * an `ExchangeError` or a system error if the exchange fails or the connection is closed.
   */
  exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void>;
  /** Aborts the exchange that fills `response`, which then rejects. Other exchanges continue. */
  abort(response: HttpResponse): void;
  /** Closes the connection once no exchange is in progress. */
  retire(): void;
  /** Closes the connection at once; exchanges in progress reject. */
  close(): void;
}
