import {
  closeQuietly,
  type Connection,
  type ConnectionShared,
  KnownHeads,
  ReadBuffers,
  type Wire,
} from "./connection.ts";
import { DENO_SOCKETS, NODE_SOCKETS } from "./sockets.ts";
import { dial, type Dialed, type DialOptions, hostAddress, proxyTo } from "./dial.ts";
import { ExchangeError } from "./exchange_error.ts";
import { Http1Connection } from "./http1_connection.ts";
import { Http2Connection } from "./http2_connection.ts";
import type { Limits, NetworkOptions, Proxy } from "./network_options.ts";
import type { HttpResponse, Origin, Outgoing, Socket, SocketRequest } from "./sender.ts";
import { SocketConnection, type SocketParts } from "./socket_connection.ts";
import { upgrade } from "./socket_handshake.ts";

/** ALPN protocols that the client offers for each value of the `version` option. */
const ALPN_PROTOCOLS = { auto: ["h2", "http/1.1"], http1: ["http/1.1"], http2: ["h2"] };

/**
 * Opens connections over Deno's sockets where possible. Uses Node's sockets, which take more CPU
 * time, for TLS options that Deno's sockets do not support, such as client certificates and TLS
 * version limits.
 */
export class Connector {
  readonly #options: NetworkOptions;
  readonly #http1Shared: ConnectionShared;
  readonly #http2Shared: ConnectionShared;
  /**
   * Whether each origin supports HTTP/2. Contains no entry for an origin until a connection to it
   * has been opened.
   */
  readonly #speaksHttp2 = new Map<Origin, boolean>();
  /** Origins whose certificate is that of a CA. */
  readonly #usesCa = new Set<Origin>();
  /** Cache of requests in the form sent to a proxy, keyed by the original request. */
  readonly #forwarded = new WeakMap<Outgoing, Outgoing>();

  constructor(options: NetworkOptions) {
    this.#options = options;
    const { limits, keepAlive } = options;
    const buffers = new ReadBuffers();
    this.#http1Shared = { limits, keepAlive, buffers, heads: new KnownHeads() };
    this.#http2Shared = { limits, keepAlive, buffers, heads: new KnownHeads() };
  }

  /**
   * Reports whether one connection to `origin` can run several exchanges at the same time. Returns
   * true while this is unknown.
   */
  mayShare(origin: Origin): boolean {
    const { version, keepAlive } = this.#options;
    if (!keepAlive || version === "http1") return false;
    return version === "http2" || (origin.secure && (this.#speaksHttp2.get(origin) ?? true));
  }

  /**
   * Connects to `origin` and records the duration of each phase in `response`. Rejects with an
   * `ExchangeError`. If `signal` aborts, the error may have any type.
   */
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
    if (version !== "http2") return this.#http1(wire, origin);
    closeQuietly(wire);
    const message =
      `${origin.authority} does not support HTTP/2, which \`defaults.http.version\` requires`;
    throw new ExchangeError("protocol", message);
  }

  /**
   * Opens a WebSocket, and records the duration of each phase and the response in `response`.
   * Rejects like `connect`, or with an `ExchangeError` if the server does not accept the WebSocket.
   * Aborting `signal` has no effect once the WebSocket is open. Calls `onClosed` when the
   * connection of the WebSocket is closed.
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
      return await openSocket(wire, request, response, { onClosed, buffers, limits });
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
    dialing: DialOptions,
    response: HttpResponse,
    signal: AbortSignal,
  ): Promise<Dialed> {
    const options = this.#options;
    response.blockedMs = performance.now() - response.startedAt;
    let dialed = this.#needsNode(origin)
      ? undefined
      : await dial(DENO_SOCKETS, origin, options, dialing, signal)
        .catch(this.#noteCaCertificate(origin));
    dialed ??= await dial(NODE_SOCKETS, origin, options, dialing, signal);
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
   * Returns a function that handles the error of a connection attempt over Deno's sockets. They
   * reject the certificate of a CA as the server's own, as `openssl req -x509` creates it. The
   * function notes that, so that Node's sockets are used, and rethrows any other error.
   */
  #noteCaCertificate(origin: Origin): (error: unknown) => undefined {
    return (error) => {
      const isCa = error instanceof Error && error.message.includes("CaUsedAsEndEntity");
      if (!isCa || this.#options.tls.ca === undefined) throw error;
      this.#usesCa.add(origin);
    };
  }

  #http1(wire: Wire, origin: Origin): Connection {
    const connection = new Http1Connection(wire, this.#http1Shared);
    const proxy = origin.secure ? undefined : proxyTo(origin, this.#options);
    if (proxy === undefined) return connection;
    return new ProxiedConnection(connection, proxy, this.#forwarded);
  }
}

/**
 * HTTP/1.1 connection to a proxy that forwards requests to any `http` origin. Each request is sent
 * with an absolute URL and the credentials for the proxy.
 */
class ProxiedConnection implements Connection {
  readonly shared = false;
  readonly #inner: Connection;
  readonly #proxy: Proxy;
  /**
   * Cache of the requests in the form that the proxy receives, so that constant requests are
   * encoded only once. The key is the original request.
   */
  readonly #forwarded: WeakMap<Outgoing, Outgoing>;

  constructor(inner: Connection, proxy: Proxy, forwarded: WeakMap<Outgoing, Outgoing>) {
    this.#inner = inner;
    this.#proxy = proxy;
    this.#forwarded = forwarded;
  }

  get usable(): boolean {
    return this.#inner.usable;
  }

  get idleSince(): number {
    return this.#inner.idleSince;
  }

  exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void> {
    let forwarded = this.#forwarded.get(request);
    if (forwarded === undefined) this.#forwarded.set(request, forwarded = this.#forward(request));
    return this.#inner.exchange(forwarded, response, from);
  }

  abort(response: HttpResponse): void {
    this.#inner.abort(response);
  }

  retire(): void {
    this.#inner.retire();
  }

  close(): void {
    this.#inner.close();
  }

  #forward(request: Outgoing): Outgoing {
    const { origin, target, headers } = request;
    const { authorization } = this.#proxy;
    return {
      ...request,
      target: `http://${origin.authority}${target === "*" ? "" : target}`,
      headers: authorization === undefined
        ? headers
        : [...headers, ["Proxy-Authorization", authorization]],
      encoded: undefined,
    };
  }
}

/**
 * Opens a WebSocket over a connected byte stream, and fills in the response to the upgrade request.
 * Rejects with an `ExchangeError` if the server does not accept the WebSocket.
 */
async function openSocket(
  wire: Wire,
  request: SocketRequest,
  response: HttpResponse,
  parts: Pick<SocketParts, "buffers" | "onClosed"> & { readonly limits: Limits },
): Promise<Socket> {
  const { limits: { headers, body }, buffers } = parts;
  const upgraded = await upgrade(wire, request, response, { buffers, headers });
  return new SocketConnection(wire, { ...parts, ...upgraded, limit: body });
}
