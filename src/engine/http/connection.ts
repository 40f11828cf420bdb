import type { HttpResponse, Outgoing } from "../sender.ts";

/** One connection to an origin, whatever its version of HTTP. */
export interface Connection {
  /** Whether it serves several exchanges at the same time. */
  readonly shared: boolean;
  /** Whether it can serve another request. */
  readonly usable: boolean;
  /** Whether the peer has left it open; to be asked before a request is sent over it again. */
  isAlive(now: number): boolean | Promise<boolean>;
  /**
   * Sends `request` and fills in `reply`; `from` is the time at which sending begins. Rejects, with
   * an `ExchangeError` or what the system says, when it fails or is closed meanwhile.
   */
  exchange(request: Outgoing, reply: HttpResponse, from: number): Promise<void>;
  /** Aborts the exchange that fills `reply`, which rejects; other exchanges go on. */
  abort(reply: HttpResponse): void;
  /** Closes it as soon as no exchange is in progress. */
  retire(): void;
  /** Closes it at once; exchanges in progress reject. */
  close(): void;
}
