import { setImmediate } from "node:timers";
import { formatMs } from "../../base/duration.ts";
import type { Origin, Outgoing, Reply, Session } from "../sender.ts";
import type { Connection } from "./connection.ts";
import type { Connector } from "./connector.ts";
import type { Deadlines, Expiring } from "./deadlines.ts";
import { ExchangeError } from "./exchange_error.ts";
import { exchangeFault } from "./fault.ts";
import { clearReply } from "./new_reply.ts";

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
  /** Those with connections, or about to connect. */
  readonly sessions: Set<NetworkSession>;
}

/** One VU's connections, at most one to an origin, kept from request to request. */
export class NetworkSession implements Session, Expiring {
  deadline: number = Infinity;
  readonly #shared: Shared;
  readonly #connections = new Map<Origin, Connection>();
  #request!: Outgoing;
  #reply!: Reply;
  #current: Connection | undefined;
  /** The current connection has served before. */
  #isKept = false;
  #dialing: AbortController | undefined;
  #interruption: ExchangeError | undefined;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  send(request: Outgoing, reply: Reply, startedAt: number = performance.now()): Promise<void> {
    clearReply(reply, startedAt);
    this.#request = request;
    this.#reply = reply;
    this.#interruption = undefined;
    this.deadline = startedAt + request.timeoutMs;
    this.#shared.deadlines.announce(this.deadline);
    const kept = this.#current = this.#connections.get(request.origin);
    this.#isKept = kept !== undefined;
    const alive = kept?.isAlive(startedAt);
    const sending = alive === true
      ? kept!.exchange(request, reply, startedAt)
      : this.#sendUnlessClosed(kept, alive);
    // Not an async function that awaits it: each of them costs more than a handler.
    return sending.then(this.#end, this.#recover);
  }

  close(): void {
    this.#shared.sessions.delete(this);
    this.#interrupt(new ExchangeError("cancelled", "the request was cancelled"));
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  expire(): void {
    this.deadline = Infinity;
    this.#interrupt(
      new ExchangeError("timeout", `no whole answer within ${formatMs(this.#request.timeoutMs)}`),
    );
  }

  #interrupt(why: ExchangeError): void {
    this.#interruption = why;
    this.#dialing?.abort();
    this.#current?.close();
  }

  #end = (): void => {
    this.deadline = Infinity;
    if (this.#current?.usable === false) this.#drop(this.#current);
    this.#current = undefined;
  };

  #recover = async (error: unknown): Promise<void> => {
    if (this.#isKept && this.#mayRetry(error)) {
      await this.#sendAfresh().catch((error) => this.#recordFault(error));
    } else this.#recordFault(error);
    this.#end();
    // A connect can fail without waiting (no descriptor, no route). A VU that tries again at once
    // would then keep timers, signals and other VUs from running.
    await new Promise((resolve) => setImmediate(resolve));
  };

  /** A server may close a kept connection just as a request is on its way: not the request's fault. */
  #mayRetry(error: unknown): boolean {
    const { kind } = exchangeFault(error);
    return (kind === "closed" || kind === "reset") && this.#reply.bytesReceived === 0 &&
      IDEMPOTENT.has(this.#request.method);
  }

  async #sendUnlessClosed(
    kept: Connection | undefined,
    alive: Promise<boolean> | false | undefined,
  ) {
    if (await alive) await kept!.exchange(this.#request, this.#reply, endBlocked(this.#reply));
    else await this.#sendAfresh();
  }

  async #sendAfresh(): Promise<void> {
    if (this.#interruption) throw this.#interruption;
    if (this.#current) this.#drop(this.#current);
    this.#current = undefined;
    this.#isKept = false;
    const fresh = await this.#connect();
    if (this.#interruption) {
      fresh.close();
      throw this.#interruption;
    }
    this.#current = fresh;
    this.#connections.set(this.#request.origin, fresh);
    await fresh.exchange(this.#request, this.#reply, performance.now());
  }

  #drop(connection: Connection): void {
    const { origin } = this.#request;
    connection.close();
    if (this.#connections.get(origin) === connection) this.#connections.delete(origin);
  }

  async #connect(): Promise<Connection> {
    this.#shared.sessions.add(this);
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
function endBlocked(reply: Reply): number {
  const now = performance.now();
  reply.blockedMs = now - reply.startedAt;
  return now;
}
