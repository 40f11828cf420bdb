import { setImmediate } from "node:timers";
import { formatMs } from "../base/format.ts";
import type { Connection } from "./connection.ts";
import { Connector, OriginPool } from "./connector.ts";
import { Deadlines, type Expiring } from "./deadlines.ts";
import { ExchangeError, exchangeFault } from "./exchange_error.ts";
import type { NetworkOptions } from "./network_options.ts";
import {
  clearResponse,
  type HttpResponse,
  type HttpSession,
  type Origin,
  type Outgoing,
  type Sender,
  type Socket,
  type SocketRequest,
} from "./sender.ts";

const MAX_RETRIES = 3;
/**
 * Idle time in ms after which events that have arrived are processed before a connection is used
 * again. Requests that follow each other in one turn of the event loop need no further turn.
 */
const TURN_AFTER_MS = 10;
const IDEMPOTENT: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
]);

interface Shared {
  readonly connector: Connector;
  readonly deadlines: Deadlines;
  readonly sessions: Set<NetworkSession>;
}

/** Session of a VU or a `parallel` branch. Runs one exchange at a time. */
class NetworkSession implements HttpSession, Expiring {
  deadline: number = Infinity;
  readonly #shared: Shared;
  readonly #pools: Map<Origin, OriginPool>;
  readonly #parent: NetworkSession | undefined;
  #branches: Set<NetworkSession> | undefined;
  /** WebSockets that are being opened, or whose connection is not closed yet. */
  #sockets: Set<Pick<Socket, "abort">> | undefined;
  #isOpen = false;
  #request!: Outgoing;
  #response!: HttpResponse;
  #pool!: OriginPool;
  #current: Connection | undefined;
  #isReused = false;
  #dialing: AbortController | undefined;
  #waiting: (() => void) | undefined;
  #interruption: ExchangeError | undefined;

  constructor(shared: Shared, parent?: NetworkSession) {
    this.#shared = shared;
    this.#parent = parent;
    this.#pools = parent === undefined ? new Map() : parent.#pools;
  }

  send(
    request: Outgoing,
    response: HttpResponse,
    startedAt: number = performance.now(),
  ): Promise<void> {
    clearResponse(response, startedAt);
    this.#request = request;
    this.#response = response;
    this.#interruption = undefined;
    this.deadline = startedAt + request.timeoutMs;
    if (!this.#isOpen) this.#open();
    this.#shared.deadlines.announce(this.deadline);
    const pool = this.#pool = this.#pools.get(request.origin) ?? this.#addPool(request.origin);
    const reused = this.#current = pool.take();
    this.#isReused = reused !== undefined;
    const sending = reused !== undefined && startedAt - reused.idleSince > TURN_AFTER_MS
      ? this.#sendAfterTurn(reused)
      : reused?.exchange(request, response, startedAt) ?? this.#acquireAndSend();
    // Uses `.then` instead of `await`, because an async function costs more than a handler.
    // bench: scripts/bench/http.ts
    return sending.then(this.#end, this.#recover);
  }

  async openSocket(
    request: SocketRequest,
    response: HttpResponse,
  ): Promise<Socket | undefined> {
    clearResponse(response, performance.now());
    if (!this.#isOpen) this.#open();
    const sockets = this.#sockets ??= new Set();
    const opening = new AbortController();
    const canceled = { abort: () => opening.abort(canceledExchange()) };
    sockets.add(canceled);
    const { timeoutMs } = request;
    const timer = setTimeout(() => opening.abort(timedOut(timeoutMs)), timeoutMs);
    let socket: Socket | undefined;
    const onClosed = () => void (socket && sockets.delete(socket));
    try {
      const { connector } = this.#shared;
      socket = await connector.openSocket(request, response, onClosed, opening.signal);
      sockets.add(socket);
    } catch (error) {
      const fault = exchangeFault(opening.signal.aborted ? opening.signal.reason : error);
      response.error = fault.kind;
      response.message = fault.message;
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      clearTimeout(timer);
      sockets.delete(canceled);
    }
    return socket;
  }

  branch(): NetworkSession {
    const branch = new NetworkSession(this.#shared, this);
    (this.#branches ??= new Set()).add(branch);
    return branch;
  }

  close(): void {
    this.#isOpen = false;
    this.#shared.sessions.delete(this);
    this.#interrupt(canceledExchange());
    for (const socket of this.#sockets ?? []) socket.abort();
    for (const branch of this.#branches ?? []) branch.close();
    if (this.#parent !== undefined) this.#parent.#branches?.delete(this);
    else {
      for (const pool of this.#pools.values()) pool.close();
      this.#pools.clear();
    }
  }

  expire(): void {
    this.deadline = Infinity;
    this.#interrupt(timedOut(this.#request.timeoutMs));
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
    this.#current?.abort(this.#response);
  }

  #end = (): void => {
    this.deadline = Infinity;
    const connection = this.#current;
    this.#current = undefined;
    if (connection !== undefined) this.#pool.give(connection);
  };

  #recover = async (error: unknown): Promise<void> => {
    const response = this.#response;
    let fault: unknown = error;
    let lostMs = 0;
    while (fault !== undefined && this.#mayRetry(fault)) {
      response.retries++;
      lostMs += performance.now() - sendingSince(response);
      response.connectingMs = response.tlsMs = 0;
      this.#pool.discardIdle();
      fault = await this.#acquireAndSend().catch((error) => error);
    }
    // The end of the blocked phase of the last attempt includes the attempts before it.
    response.blockedMs -= lostMs;
    response.waitingMs += lostMs;
    if (fault !== undefined) this.#recordFault(fault);
    this.#end();
    // Connecting can fail immediately, for example if there is no free file descriptor or no route.
    // A VU that retries at once would then starve timers, signals and other VUs.
    await new Promise((resolve) => setImmediate(resolve));
  };

  /**
   * Whether a failed request may be sent again: the server did not process it (RFC 9113, 8.7), or
   * it is idempotent and a reused connection was closed or reset before any byte of the response
   * (RFC 9112, 9.3.1). If an HTTP/2 connection stays usable, the server has rejected only the
   * request.
   */
  #mayRetry(error: unknown): boolean {
    if (this.#interruption || this.#response.retries === MAX_RETRIES) return false;
    const { kind, unprocessed } = exchangeFault(error);
    if (unprocessed) return true;
    return this.#isReused && (kind === "closed" || kind === "reset") &&
      this.#response.bytesReceived === 0 &&
      this.#current?.usable === false && IDEMPOTENT.has(this.#request.method);
  }

  /**
   * Sends the request after a turn of the event loop, which may deliver the end of the connection.
   * With servers that close idle connections, half as many POST requests fail.
   */
  async #sendAfterTurn(reused: Connection): Promise<void> {
    this.#current = undefined;
    this.#pool.give(reused);
    await new Promise((resolve) => setImmediate(resolve));
    await this.#acquireAndSend();
  }

  async #acquireAndSend(): Promise<void> {
    if (this.#current) this.#pool.discard(this.#current);
    this.#current = undefined;
    const connection = await this.#acquire();
    if (this.#interruption) {
      if (!connection.shared) this.#pool.discard(connection);
      throw this.#interruption;
    }
    this.#current = connection;
    const from = this.#isReused ? endBlocked(this.#response) : performance.now();
    await connection.exchange(this.#request, this.#response, from);
  }

  async #acquire(): Promise<Connection> {
    const pool = this.#pool;
    for (;;) {
      if (this.#interruption) throw this.#interruption;
      const reused = pool.take();
      this.#isReused = reused !== undefined;
      if (reused !== undefined) return reused;
      if (pool.mayOpen) return await pool.open(() => this.#connect());
      await this.#wait(pool);
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
      return await connector.connect(this.#request.origin, this.#response, this.#dialing.signal);
    } finally {
      this.#dialing = undefined;
    }
  }

  /** Counts the time since the connection was established as waiting, so that the phases add up. */
  #recordFault(error: unknown): void {
    const response = this.#response;
    const fault = this.#interruption ?? exchangeFault(error);
    response.error = fault.kind;
    response.message = fault.message;
    response.sendingMs = response.receivingMs = 0;
    response.waitingMs = performance.now() - sendingSince(response);
  }
}

function sendingSince({ startedAt, blockedMs, connectingMs, tlsMs }: HttpResponse): number {
  return startedAt + blockedMs + connectingMs + tlsMs;
}

function canceledExchange(): ExchangeError {
  return new ExchangeError("cancelled", "the request was canceled");
}

function timedOut(ms: number): ExchangeError {
  return new ExchangeError("timeout", `no complete response within ${formatMs(ms)}`);
}

function endBlocked(response: HttpResponse): number {
  const now = performance.now();
  response.blockedMs = now - response.startedAt;
  return now;
}

/** Creates a sender that sends requests over the network. */
export function networkSender(options: NetworkOptions): Sender {
  const sessions = new Set<NetworkSession>();
  const deadlines = new Deadlines(sessions);
  const connector = new Connector(options);
  const shared = { connector, deadlines, sessions };
  return {
    open: (): HttpSession => new NetworkSession(shared),
    close(): void {
      for (const session of sessions) session.close();
      deadlines.stop();
    },
  };
}
