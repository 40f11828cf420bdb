import {
  closeQuietly,
  type Connection,
  type ConnectionShared,
  KnownHeads,
  ReadBuffers,
} from "./connection.ts";
import { DENO_SOCKETS, NODE_SOCKETS } from "./sockets.ts";
import {
  dial,
  type Dialed,
  type DialOptions,
  hostAddress,
  proxyTo,
  supportedProxy,
} from "./dial.ts";
import { ExchangeError } from "./exchange_error.ts";
import { Http1Connection } from "./http1_connection.ts";
import { Http2Connection } from "./http2_connection.ts";
import type { NetworkOptions } from "./network_options.ts";
import type { HttpResponse, Origin, Socket, SocketRequest } from "./sender.ts";
import { SocketConnection, upgrade } from "./socket_connection.ts";
import { Queue } from "../base/queue.ts";

const ALPN_PROTOCOLS = { auto: ["h2", "http/1.1"], http1: ["http/1.1"], http2: ["h2"] };

/**
 * Opens connections over Deno's sockets where possible. Node's sockets take more CPU time, but
 * support tunnels through a proxy, client certificates and TLS version limits.
 */
export class Connector {
  readonly #options: NetworkOptions;
  readonly #http1Shared: ConnectionShared;
  readonly #http2Shared: ConnectionShared;
  /** Whether each origin supports HTTP/2, once that is known. */
  readonly #speaksHttp2 = new Map<Origin, boolean>();
  readonly #usesCa = new Set<Origin>();

  constructor(options: NetworkOptions) {
    this.#options = options;
    const { limits, keepAlive } = options;
    const buffers = new ReadBuffers();
    this.#http1Shared = { limits, keepAlive, buffers, heads: new KnownHeads() };
    this.#http2Shared = { limits, keepAlive, buffers, heads: new KnownHeads() };
  }

  /** Reports whether one connection can run several exchanges at a time, or may do so. */
  mayShare(origin: Origin): boolean {
    const { version, keepAlive } = this.#options;
    if (!keepAlive || version === "http1") return false;
    return version === "http2" || (origin.secure && (this.#speaksHttp2.get(origin) ?? true));
  }

  /** Connects to `origin`, and records the duration of each phase in `response`. */
  async connect(origin: Origin, response: HttpResponse, signal: AbortSignal): Promise<Connection> {
    const { version } = this.#options;
    const dialing = {
      alpn: ALPN_PROTOCOLS[version],
      tunnels: origin.secure || version === "http2",
    };
    const { wire, protocol } = await this.#dial(origin, dialing, response, signal);
    const isHttp2 = origin.secure ? protocol === "h2" : version === "http2";
    this.#speaksHttp2.set(origin, isHttp2);
    if (isHttp2) return new Http2Connection(wire, this.#http2Shared);
    const proxy = origin.secure ? undefined : proxyTo(origin, this.#options);
    if (version !== "http2") return new Http1Connection(wire, this.#http1Shared, proxy);
    closeQuietly(wire);
    const message =
      `${origin.authority} does not support HTTP/2, which \`defaults.http.version\` requires`;
    throw new ExchangeError("protocol", message);
  }

  /**
   * Opens a WebSocket, and records the duration of each phase and the response in `response`.
   * Rejects like `connect`, or with an `ExchangeError` if the server does not accept it. Aborting
   * `signal` has no effect once it is open.
   */
  async openSocket(
    request: SocketRequest,
    response: HttpResponse,
    onClosed: () => void,
    signal: AbortSignal,
  ): Promise<Socket> {
    signal.throwIfAborted();
    const dialing = { alpn: ALPN_PROTOCOLS.http1, tunnels: true };
    const { wire } = await this.#dial(request.origin, dialing, response, signal);
    const close = () => closeQuietly(wire);
    signal.addEventListener("abort", close);
    try {
      const { buffers, limits } = this.#http1Shared;
      const upgraded = await upgrade(wire, request, response, { buffers, limits });
      return new SocketConnection(wire, { ...upgraded, buffers, onClosed, limit: limits.body });
    } catch (error) {
      closeQuietly(wire);
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", close);
    }
  }

  async #dial(
    origin: Origin,
    dialing: Omit<DialOptions, "proxy">,
    response: HttpResponse,
    signal: AbortSignal,
  ): Promise<Dialed> {
    const options = this.#options;
    response.blockedMs = performance.now() - response.startedAt;
    const proxy = supportedProxy(origin, options);
    const to = { ...dialing, proxy };
    let dialed = this.#needsNode(origin) || proxy !== undefined && dialing.tunnels
      ? undefined
      : await dial(DENO_SOCKETS, origin, options, to, signal)
        .catch(this.#noteCaCertificate(origin));
    dialed ??= await dial(NODE_SOCKETS, origin, options, to, signal);
    response.connectingMs = dialed.connectingMs;
    response.tlsMs = dialed.tlsMs;
    return dialed;
  }

  #needsNode(origin: Origin): boolean {
    if (!origin.secure) return false;
    const { tls: { insecureSkipVerify, cert, minVersion, maxVersion }, hosts } = this.#options;
    const isLimited = minVersion !== undefined || maxVersion !== undefined;
    return insecureSkipVerify || cert !== undefined || isLimited || this.#usesCa.has(origin) ||
      hostAddress(origin, hosts).path !== undefined;
  }

  /**
   * Deno's sockets reject the certificate of a CA as the server's own, as `openssl req -x509`
   * creates it. Notes that, so that Node's sockets are used, and rethrows any other error.
   */
  #noteCaCertificate(origin: Origin): (error: unknown) => undefined {
    return (error) => {
      const isCa = error instanceof Error && error.message.includes("CaUsedAsEndEntity");
      if (!isCa || this.#options.tls.ca === undefined) throw error;
      this.#usesCa.add(origin);
    };
  }
}

/** Maximum number of HTTP/1.1 connections of one VU to one origin, as in browsers and k6. */
const MAX_CONNECTIONS = 6;

export interface Waiter {
  wake(): boolean;
}

/** Connections of a VU to an origin. The last used one is taken first. */
export class OriginPool {
  /** Reports whether one connection may run several exchanges, which the first one shows. */
  readonly #mayShare: () => boolean;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Queue<Waiter>();
  #shared: Connection | undefined;
  /** Number of connections that are idle, in use or being opened. */
  #count = 0;
  #closed = false;

  constructor(mayShare: () => boolean) {
    this.#mayShare = mayShare;
  }

  /** Returns a free connection, if there is one. Discards those that are no longer usable. */
  take(): Connection | undefined {
    for (;;) {
      const connection = this.#shared ?? this.#idle.pop();
      if (connection === undefined || connection.usable) return connection;
      this.discard(connection);
    }
  }

  give(connection: Connection): void {
    if (!connection.usable) this.discard(connection);
    else if (!connection.shared) {
      this.#idle.push(connection);
      if (this.#waiting.size > 0) this.wakeNext();
    }
  }

  /** Removes a connection from the pool and closes it as soon as its last exchange has ended. */
  discard(connection: Connection): void {
    connection.retire();
    if (connection.shared && connection !== this.#shared) return;
    if (connection === this.#shared) this.#shared = undefined;
    this.#count--;
    this.wakeNext();
  }

  /** Closes idle connections, which may be stale because one of them was. */
  discardIdle(): void {
    for (const connection of this.#idle.splice(0)) this.discard(connection);
  }

  /** Until it is known whether connections can be shared, only one is opened. */
  get mayOpen(): boolean {
    return this.#count === 0 || (this.#count < MAX_CONNECTIONS && !this.#mayShare());
  }

  async open(connect: () => Promise<Connection>): Promise<Connection> {
    this.#count++;
    try {
      const connection = await connect();
      if (this.#closed) connection.close();
      else if (connection.shared) this.#share(connection);
      return connection;
    } catch (error) {
      this.#count--;
      throw error;
    } finally {
      // It is now known whether connections can be shared.
      for (let waiting = this.#waiting.size; waiting > 0; waiting--) this.wakeNext();
    }
  }

  wait(waiter: Waiter): void {
    this.#waiting.push(waiter);
  }

  /** Wakes the request that has waited longest, which uses a connection or wakes the next. */
  wakeNext(): void {
    let waiter = this.#waiting.shift();
    while (waiter && !waiter.wake()) waiter = this.#waiting.shift();
  }

  /** Closes the connections, and one that is being opened once it is open. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#idle) connection.close();
    this.#shared?.close();
  }

  /** There can be two if an origin changes to HTTP/2 while connections are being opened. */
  #share(connection: Connection): void {
    const before = this.#shared;
    this.#shared = connection;
    if (before === undefined) return;
    before.retire();
    this.#count--;
  }
}
