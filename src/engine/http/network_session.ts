import { setImmediate } from "node:timers";
import { formatMs } from "../../base/duration.ts";
import type { HttpResponse, HttpSession, Origin, Outgoing } from "../sender.ts";
import type { Connection } from "./connection.ts";
import type { Connector } from "./connector.ts";
import type { Deadlines, Expiring } from "./deadlines.ts";
import { ExchangeError } from "./exchange_error.ts";
import { exchangeFault } from "./network_fault.ts";
import { clearResponse } from "./new_response.ts";
import { OriginPool } from "./origin_pool.ts";

const IDEMPOTENT: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
]);

/** What the sessions of one sender share. */
export interface Shared {
  readonly connector: Connector;
  readonly deadlines: Deadlines;
  /** Those that have sent something and are not closed. */
  readonly sessions: Set<NetworkSession>;
}

/** The connections of one VU, or one branch of it: one exchange at a time, over a pool for each origin. */
export class NetworkSession implements HttpSession, Expiring {
  deadline: number = Infinity;
  readonly #shared: Shared;
  /** Shared with the branches. */
  readonly #pools: Map<Origin, OriginPool>;
  readonly #parent: NetworkSession | undefined;
  #branches: Set<NetworkSession> | undefined;
  #isOpen = false;
  #request!: Outgoing;
  #reply!: HttpResponse;
  #pool!: OriginPool;
  #current: Connection | undefined;
  /** The current connection has served before. */
  #isKept = false;
  #dialing: AbortController | undefined;
  #waiting: (() => void) | undefined;
  #interruption: ExchangeError | undefined;

  /** A session of its own, or a branch of `parent`, whose connections it uses. */
  constructor(shared: Shared, parent?: NetworkSession) {
    this.#shared = shared;
    this.#parent = parent;
    this.#pools = parent === undefined ? new Map() : parent.#pools;
  }

  send(
    request: Outgoing,
    reply: HttpResponse,
    startedAt: number = performance.now(),
  ): Promise<void> {
    clearResponse(reply, startedAt);
    this.#request = request;
    this.#reply = reply;
    this.#interruption = undefined;
    this.deadline = startedAt + request.timeoutMs;
    if (!this.#isOpen) this.#open();
    this.#shared.deadlines.announce(this.deadline);
    const pool = this.#pool = this.#pools.get(request.origin) ?? this.#addPool(request.origin);
    const kept = this.#current = pool.take();
    this.#isKept = kept !== undefined;
    const alive = kept?.isAlive(startedAt);
    const sending = alive === true
      ? kept!.exchange(request, reply, startedAt)
      : this.#sendUnlessClosed(kept, alive);
    // Not an async function that awaits it: each of them costs more than a handler.
    return sending.then(this.#end, this.#recover);
  }

  branch(): NetworkSession {
    const branch = new NetworkSession(this.#shared, this);
    (this.#branches ??= new Set()).add(branch);
    return branch;
  }

  close(): void {
    this.#isOpen = false;
    this.#shared.sessions.delete(this);
    this.#interrupt(new ExchangeError("cancelled", "the request was cancelled"));
    for (const branch of this.#branches ?? []) branch.close();
    if (this.#parent !== undefined) this.#parent.#branches?.delete(this);
    else {
      for (const pool of this.#pools.values()) pool.close();
      this.#pools.clear();
    }
  }

  expire(): void {
    this.deadline = Infinity;
    this.#interrupt(
      new ExchangeError("timeout", `no whole answer within ${formatMs(this.#request.timeoutMs)}`),
    );
  }

  #open(): void {
    this.#isOpen = true;
    this.#shared.sessions.add(this);
  }

  #addPool(origin: Origin): OriginPool {
    const { connector } = this.#shared;
    const pool = new OriginPool(() => connector.mayShare(origin));
    this.#pools.set(origin, pool);
    return pool;
  }

  #interrupt(why: ExchangeError): void {
    this.#interruption = why;
    this.#dialing?.abort();
    this.#waiting?.();
    this.#current?.abort(this.#reply);
  }

  #end = (): void => {
    this.deadline = Infinity;
    const connection = this.#current;
    this.#current = undefined;
    if (connection !== undefined) this.#pool.give(connection);
  };

  #recover = async (error: unknown): Promise<void> => {
    if (this.#isKept && this.#mayRetry(error)) {
      this.#pool.discardIdle();
      await this.#sendAfresh().catch((error) => this.#recordFault(error));
    } else this.#recordFault(error);
    this.#end();
    // A connect can fail without waiting (no descriptor, no route). A VU that tries again at once
    // would then keep timers, signals and other VUs from running.
    await new Promise((resolve) => setImmediate(resolve));
  };

  /**
   * Reports whether the server has closed a kept connection while a request was on its way, which is
   * not the request's fault. An HTTP/2 connection that goes on has refused the request itself.
   */
  #mayRetry(error: unknown): boolean {
    const { kind } = exchangeFault(error);
    return (kind === "closed" || kind === "reset") && this.#reply.bytesReceived === 0 &&
      this.#current?.usable === false && IDEMPOTENT.has(this.#request.method);
  }

  async #sendUnlessClosed(
    kept: Connection | undefined,
    alive: Promise<boolean> | false | undefined,
  ) {
    if (await alive) {
      if (this.#interruption) throw this.#interruption;
      await kept!.exchange(this.#request, this.#reply, endBlocked(this.#reply));
    } else await this.#sendAfresh();
  }

  async #sendAfresh(): Promise<void> {
    if (this.#current) this.#pool.discard(this.#current);
    this.#current = undefined;
    const connection = await this.#acquire();
    if (this.#interruption) {
      if (!connection.shared) this.#pool.discard(connection);
      throw this.#interruption;
    }
    this.#current = connection;
    const from = this.#isKept ? endBlocked(this.#reply) : performance.now();
    await connection.exchange(this.#request, this.#reply, from);
  }

  /** Makes a connection, or waits for one that is free. */
  async #acquire(): Promise<Connection> {
    const pool = this.#pool;
    for (;;) {
      if (this.#interruption) throw this.#interruption;
      const kept = pool.take();
      this.#isKept = kept !== undefined;
      if (kept !== undefined) {
        if (await kept.isAlive(performance.now())) return kept;
        pool.discard(kept);
      } else if (pool.mayOpen) return await pool.open(() => this.#connect());
      else await this.#wait(pool);
    }
  }

  async #wait(pool: OriginPool): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
      pool.wait({
        wake: () => {
          if (this.#waiting !== resolve) return false;
          this.#waiting = undefined;
          resolve();
          return true;
        },
      });
    });
    this.#waiting = undefined;
    if (this.#interruption) pool.wakeNext();
  }

  async #connect(): Promise<Connection> {
    this.#dialing = new AbortController();
    try {
      const { connector } = this.#shared;
      return await connector.connect(this.#request.origin, this.#reply, this.#dialing.signal);
    } finally {
      this.#dialing = undefined;
    }
  }

  /** The time lost counts as waiting, so that the parts still make up the whole. */
  #recordFault(error: unknown): void {
    const reply = this.#reply;
    const fault = this.#interruption ?? exchangeFault(error);
    const { startedAt, blockedMs, connectingMs, tlsMs } = reply;
    reply.error = fault.kind;
    reply.message = fault.message;
    reply.sendingMs = reply.receivingMs = 0;
    reply.waitingMs = performance.now() - startedAt - blockedMs - connectingMs - tlsMs;
  }
}

/** Notes that it was blocked until now, and gives the time. */
function endBlocked(reply: HttpResponse): number {
  const now = performance.now();
  reply.blockedMs = now - reply.startedAt;
  return now;
}
