import type { HttpResponse, Origin } from "../sender.ts";
import type { Connection } from "./connection.ts";
import { dial, type Dialed } from "./dial.ts";
import { dialNode } from "./dial_node.ts";
import { ExchangeError } from "./exchange_error.ts";
import { Http1Connection, type Http1Shared } from "./http1_connection.ts";
import { Http2Connection } from "./http2_connection.ts";
import { KnownHeads } from "./known_head.ts";
import type { NetworkOptions } from "./network_options.ts";
import { NodeWire } from "./node_wire.ts";
import { ReadBuffers } from "./read_buffers.ts";
import type { Wire } from "./wire.ts";

const OFFERED = { auto: ["h2", "http/1.1"], http1: ["http/1.1"], http2: ["h2"] };

/** Makes connections: over Deno's sockets where they will do, over Node's where they are needed. */
export class Connector {
  readonly #options: NetworkOptions;
  readonly #http1Shared: Http1Shared;
  /** Whether an origin speaks HTTP/2, once a connection has shown it. */
  readonly #speaksHttp2 = new Map<Origin, boolean>();
  /** First connections to an origin, which show whether it speaks HTTP/2. */
  readonly #probes = new Map<Origin, Promise<unknown>>();

  constructor(options: NetworkOptions) {
    this.#options = options;
    const { limits, keepAlive } = options;
    const [buffers, heads] = [new ReadBuffers(), new KnownHeads()];
    this.#http1Shared = { limits, keepAlive, buffers, heads };
  }

  /** Whether a connection to `origin` can serve several requests at once, or it is not known yet. */
  mayShare(origin: Origin): boolean {
    const { version, keepAlive } = this.#options;
    if (!keepAlive || version === "http1") return false;
    return version === "http2" || (origin.secure && (this.#speaksHttp2.get(origin) ?? true));
  }

  /**
   * Connects to `origin` and notes in `reply` what it took. Rejects with an `ExchangeError`; with
   * anything when `signal` aborts it.
   */
  async connect(origin: Origin, reply: HttpResponse, signal: AbortSignal): Promise<Connection> {
    const probe = this.#probes.get(origin);
    if (probe !== undefined) await unlessAborted(probe, signal);
    reply.blockedMs = performance.now() - reply.startedAt;
    if (!this.#needsNode(origin)) {
      const { wire, protocol, ...times } = await this.#dial(origin, signal);
      Object.assign(reply, times);
      if (protocol !== "h2") return this.#http1(wire);
      // HTTP/2 needs a socket of Node's: this connection only served to learn that.
      wire.close();
    }
    return this.#connectNode(origin, reply, signal);
  }

  #needsNode(origin: Origin): boolean {
    const { version, tls } = this.#options;
    if (version === "http2") return true;
    const unusual = tls.insecureSkipVerify || tls.cert !== undefined;
    return origin.secure && (unusual || this.#speaksHttp2.get(origin) === true);
  }

  /** Connects by Deno. The first one to an origin that may speak HTTP/2 is a probe that others await. */
  async #dial(origin: Origin, signal: AbortSignal): Promise<Dialed> {
    const dialing = dial(origin, this.#options, this.#alpn, signal);
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

  /** Adds to the times in `reply`, which holds those of a probe. */
  async #connectNode(
    origin: Origin,
    reply: HttpResponse,
    signal: AbortSignal,
  ): Promise<Connection> {
    const options = this.#options;
    const { socket, protocol, connectingMs, tlsMs } = await dialNode(
      origin,
      options,
      this.#alpn,
      signal,
    );
    reply.connectingMs += connectingMs;
    reply.tlsMs += tlsMs;
    const isPlainHttp2 = !origin.secure && options.version === "http2";
    const isHttp2 = protocol === "h2" || isPlainHttp2;
    this.#speaksHttp2.set(origin, isHttp2);
    if (isHttp2) return new Http2Connection(socket, origin, options);
    if (options.version !== "http2") return this.#http1(new NodeWire(socket));
    socket.destroy();
    throw new ExchangeError("protocol", `${origin.authority} does not offer HTTP/2`);
  }

  #http1(wire: Wire): Connection {
    return new Http1Connection(wire, this.#http1Shared);
  }

  get #alpn(): string[] {
    return OFFERED[this.#options.version];
  }
}

/** Waits until `probe` has ended, well or not. Rejects when `signal` aborts. */
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
