import type { Origin, Outgoing, Reply, Session } from "../sender.ts";
import type { Connection } from "./connection.ts";
import type { Deadlines, Expiring } from "./deadlines.ts";
import { dial } from "./dial.ts";
import { ExchangeError } from "./exchange_error.ts";
import { exchangeFault } from "./fault.ts";
import { Http1Connection } from "./http1_connection.ts";
import type { NetworkOptions } from "./network_options.ts";
import { clearReply } from "./new_reply.ts";
import type { ReadBuffers } from "./read_buffers.ts";

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
  readonly options: NetworkOptions;
  readonly buffers: ReadBuffers;
  readonly deadlines: Deadlines;
  /** Those with connections, or about to connect. */
  readonly sessions: Set<NetworkSession>;
}

/** One VU's connections, at most one to an origin, kept from request to request. */
export class NetworkSession implements Session, Expiring {
  deadline = Infinity;
  readonly #shared: Shared;
  readonly #connections = new Map<Origin, Connection>();
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
    this.deadline = startedAt + request.timeoutMs;
    this.#shared.deadlines.announce(this.deadline);
    try {
      await this.#exchange(request, reply, startedAt);
    } catch (error) {
      this.#recordFault(error, reply);
    }
    this.deadline = Infinity;
  }

  close(): void {
    this.#shared.sessions.delete(this);
    this.#interrupt(new ExchangeError("cancelled", "the request was cancelled"));
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  expire(): void {
    this.deadline = Infinity;
    this.#interrupt(new ExchangeError("timeout", "the request took longer than its timeout"));
  }

  #interrupt(why: ExchangeError): void {
    this.#interruption = why;
    this.#dialing?.abort();
    this.#current?.close();
  }

  async #exchange(request: Outgoing, reply: Reply, startedAt: number): Promise<void> {
    const { origin } = request;
    const kept = this.#connections.get(origin);
    if (kept !== undefined) {
      const alive = kept.isAlive(startedAt);
      if (alive === true || await alive) {
        try {
          return await this.#use(kept, request, reply, startedAt);
        } catch (error) {
          if (!this.#mayRetry(error, request, reply)) throw error;
        }
      }
      kept.close();
    }
    const fresh = await this.#connect(origin, reply);
    this.#connections.set(origin, fresh);
    await this.#use(fresh, request, reply, performance.now());
  }

  async #use(
    connection: Connection,
    request: Outgoing,
    reply: Reply,
    from: number,
  ): Promise<void> {
    if (this.#interruption) throw this.#interruption;
    this.#current = connection;
    try {
      await connection.exchange(request, reply, from);
    } finally {
      this.#current = undefined;
      if (!connection.usable) {
        this.#connections.delete(request.origin);
        connection.close();
      }
    }
  }

  /** A server may close a kept connection just as a request is on its way: not the request's fault. */
  #mayRetry(error: unknown, request: Outgoing, reply: Reply): boolean {
    const { kind } = exchangeFault(error);
    return (kind === "closed" || kind === "reset") && reply.bytesReceived === 0 &&
      IDEMPOTENT.has(request.method) && this.#interruption === undefined;
  }

  async #connect(origin: Origin, reply: Reply): Promise<Connection> {
    const { options, buffers, sessions } = this.#shared;
    sessions.add(this);
    this.#dialing = new AbortController();
    const from = performance.now();
    reply.blockedMs = from - reply.startedAt;
    try {
      const dialed = await dial(origin, options, ["http/1.1"], this.#dialing.signal);
      reply.connectingMs = dialed.connectingMs;
      reply.tlsMs = dialed.tlsMs;
      return new Http1Connection(dialed.wire, options.limits, buffers, options.keepAlive);
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
