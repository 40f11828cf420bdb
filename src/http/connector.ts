import { openSocket } from "./open_socket.ts";
import type { HttpResponse, Origin, Outgoing, Socket, SocketRequest } from "./sender.ts";
import type { Connection } from "./connection.ts";
import { dial, type Dialed, hostAddress, proxyTo } from "./dial.ts";
import { DENO_SOCKETS } from "./deno_sockets.ts";
import { ExchangeError } from "./exchange_error.ts";
import { Http1Connection, type Http1Shared } from "./http1_connection.ts";
import { Http2Connection } from "./http2_connection.ts";
import { KnownHeads } from "./known_head.ts";
import type { NetworkOptions } from "./network_options.ts";
import { NODE_SOCKETS, NodeWire } from "./node_sockets.ts";
import { ProxiedConnection } from "./proxied_connection.ts";
import { ReadBuffers } from "./read_buffers.ts";
import { closeQuietly, type Wire } from "./wire.ts";

/** ALPN protocols that the client offers for each value of the `version` option. */
const ALPN_PROTOCOLS = { auto: ["h2", "http/1.1"], http1: ["http/1.1"], http2: ["h2"] };

/**
 * Opens connections over Deno's sockets where possible. Uses Node's sockets, which take more CPU
 * time, for HTTP/2 and for TLS options that Deno's sockets do not support, such as client
 * certificates and TLS version limits.
 */
export class Connector {
  readonly #options: NetworkOptions;
  readonly #http1Shared: Http1Shared;
  /**
   * Whether each origin supports HTTP/2. Contains no entry for an origin until a connection to it
   * has been opened.
   */
  readonly #speaksHttp2 = new Map<Origin, boolean>();
  /** Origins whose certificate is that of a CA. */
  readonly #usesCa = new Set<Origin>();
  /** Cache of requests in the form sent to a proxy, keyed by the original request. */
  readonly #forwarded = new WeakMap<Outgoing, Outgoing>();
  /**
   * Connection attempts in progress that will show whether an origin supports HTTP/2, by origin.
   */
  readonly #probes = new Map<Origin, Promise<unknown>>();

  constructor(options: NetworkOptions) {
    this.#options = options;
    const { limits, keepAlive } = options;
    const [buffers, heads] = [new ReadBuffers(), new KnownHeads()];
    this.#http1Shared = { limits, keepAlive, buffers, heads };
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
    const probe = this.#probes.get(origin);
    if (probe !== undefined) await unlessAborted(probe, signal);
    response.blockedMs = performance.now() - response.startedAt;
    if (!this.#needsNode(origin)) {
      const dialed = await this.#dial(origin, signal).catch(this.#noteCaCertificate(origin));
      if (dialed !== undefined) {
        const { stream: wire, protocol, ...times } = dialed;
        Object.assign(response, times);
        if (protocol !== "h2") return this.#http1(wire, origin);
        // HTTP/2 needs a Node socket. This connection only showed which protocol the server speaks.
        wire.close();
      }
    }
    return this.#connectNode(origin, response, signal);
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
    const wire = await this.#openWire(request.origin, response, signal);
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

  /** Opens a byte stream to `origin` for HTTP/1.1, and records the duration of each phase. */
  async #openWire(origin: Origin, response: HttpResponse, signal: AbortSignal): Promise<Wire> {
    const options = this.#options;
    const dialing = { alpn: ALPN_PROTOCOLS.http1, tunnels: true };
    response.blockedMs = performance.now() - response.startedAt;
    const record = <Stream>({ stream, connectingMs, tlsMs }: Dialed<Stream>): Stream => {
      response.connectingMs = connectingMs;
      response.tlsMs = tlsMs;
      return stream;
    };
    const dialed = this.#hasNodeTls(origin)
      ? undefined
      : await dial(DENO_SOCKETS, origin, options, dialing, signal)
        .catch(this.#noteCaCertificate(origin));
    if (dialed !== undefined) return record(dialed);
    return new NodeWire(record(await dial(NODE_SOCKETS, origin, options, dialing, signal)));
  }

  #needsNode(origin: Origin): boolean {
    if (this.#options.version === "http2") return true;
    return this.#hasNodeTls(origin) ||
      (origin.secure && this.#speaksHttp2.get(origin) === true);
  }

  /**
   * Reports whether a connection to `origin` needs TLS options that Deno's sockets do not support.
   */
  #hasNodeTls(origin: Origin): boolean {
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

  /**
   * Connects over Deno's sockets. The first connection to an origin that may speak HTTP/2 is a
   * probe. Other connections to that origin wait until the probe has succeeded or failed.
   */
  async #dial(origin: Origin, signal: AbortSignal): Promise<Dialed<Wire>> {
    const dialing = dial(DENO_SOCKETS, origin, this.#options, { alpn: this.#alpn }, signal);
    const isProbe = this.mayShare(origin) && !this.#speaksHttp2.has(origin) &&
      !this.#probes.has(origin);
    if (isProbe) this.#probes.set(origin, dialing);
    try {
      const dialed = await dialing;
      this.#speaksHttp2.set(origin, dialed.protocol === "h2");
      return dialed;
    } finally {
      if (isProbe) this.#probes.delete(origin);
    }
  }

  /**
   * Connects over Node's sockets. Adds the connecting and TLS times to those in `response`, which
   * may already contain the times of a connection over Deno's sockets, opened only to find out
   * whether the origin supports HTTP/2.
   */
  async #connectNode(
    origin: Origin,
    response: HttpResponse,
    signal: AbortSignal,
  ): Promise<Connection> {
    const options = this.#options;
    signal.throwIfAborted();
    const { stream: socket, protocol, connectingMs, tlsMs } = await dial(
      NODE_SOCKETS,
      origin,
      options,
      { alpn: this.#alpn, tunnels: origin.secure || options.version === "http2" },
      signal,
    );
    response.connectingMs += connectingMs;
    response.tlsMs += tlsMs;
    const isPlainHttp2 = !origin.secure && options.version === "http2";
    const isHttp2 = protocol === "h2" || isPlainHttp2;
    this.#speaksHttp2.set(origin, isHttp2);
    if (isHttp2) return new Http2Connection(socket, origin, options);
    if (options.version !== "http2") return this.#http1(new NodeWire(socket), origin);
    socket.destroy();
    const message =
      `${origin.authority} does not support HTTP/2, which \`defaults.http.version\` requires`;
    throw new ExchangeError("protocol", message);
  }

  #http1(wire: Wire, origin: Origin): Connection {
    const connection = new Http1Connection(wire, this.#http1Shared);
    const proxy = origin.secure ? undefined : proxyTo(origin, this.#options);
    if (proxy === undefined) return connection;
    return new ProxiedConnection(connection, proxy, this.#forwarded);
  }

  get #alpn(): string[] {
    return ALPN_PROTOCOLS[this.#options.version];
  }
}

/** Waits until `probe` resolves or rejects. Rejects only if `signal` aborts. */
function unlessAborted(probe: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const end = () => {
      signal.removeEventListener("abort", abort);
      resolve();
    };
    signal.addEventListener("abort", abort);
    probe.then(end, end);
  });
}
