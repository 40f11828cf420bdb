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
  #timeoutMs = 0;
  #current: Connection | undefined;
  #dialing: AbortController | undefined;
  #interruption: ExchangeError | undefined;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  async send(request: Outgoing, reply: Reply): Promise<void> {
    const startedAt = performance.now();
    clearReply(reply, startedAt);
    this.#interruption = undefined;
    this.#timeoutMs = request.timeoutMs;
    this.deadline = startedAt + request.timeoutMs;
    this.#shared.deadlines.announce(this.deadline);
    const kept = this.#current = this.#connections.get(request.origin);
    try {
      const alive = kept?.isAlive(startedAt);
      if (alive === true) await kept!.exchange(request, reply, startedAt);
      else if (await alive) await kept!.exchange(request, reply, endBlocked(reply));
      else await this.#sendAfresh(request, reply);
    } catch (error) {
      if (kept !== undefined && kept === this.#current && this.#mayRetry(error, request, reply)) {
        await this.#sendAfresh(request, reply).catch((error) => this.#recordFault(error, reply));
      } else this.#recordFault(error, reply);
    }
    this.deadline = Infinity;
    if (this.#current?.usable === false) this.#drop(this.#current, request.origin);
    this.#current = undefined;
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
      new ExchangeError("timeout", `no whole answer within ${formatMs(this.#timeoutMs)}`),
    );
  }

  #interrupt(why: ExchangeError): void {
    this.#interruption = why;
    this.#dialing?.abort();
    this.#current?.close();
  }

  /** A server may close a kept connection just as a request is on its way: not the request's fault. */
  #mayRetry(error: unknown, request: Outgoing, reply: Reply): boolean {
    const { kind } = exchangeFault(error);
    return (kind === "closed" || kind === "reset") && reply.bytesReceived === 0 &&
      IDEMPOTENT.has(request.method);
  }

  async #sendAfresh(request: Outgoing, reply: Reply): Promise<void> {
    if (this.#interruption) throw this.#interruption;
    if (this.#current) this.#drop(this.#current, request.origin);
    this.#current = undefined;
    const fresh = await this.#connect(request.origin, reply);
    if (this.#interruption) {
      fresh.close();
      throw this.#interruption;
    }
    this.#current = fresh;
    this.#connections.set(request.origin, fresh);
    await fresh.exchange(request, reply, performance.now());
  }

  #drop(connection: Connection, origin: Origin): void {
    connection.close();
    if (this.#connections.get(origin) === connection) this.#connections.delete(origin);
  }

  async #connect(origin: Origin, reply: Reply): Promise<Connection> {
    this.#shared.sessions.add(this);
    this.#dialing = new AbortController();
    try {
      return await this.#shared.connector.connect(origin, reply, this.#dialing.signal);
    } finally {
      this.#dialing = undefined;
    }
  }

  /** The time lost counts as waiting, so that the parts still make up the whole. */
  #recordFault(error: unknown, reply: Reply): void {
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
