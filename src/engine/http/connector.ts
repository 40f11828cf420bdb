import type { Origin, Reply } from "../sender.ts";
import type { Connection } from "./connection.ts";
import { dial } from "./dial.ts";
import { dialNode } from "./dial_node.ts";
import { ExchangeError } from "./exchange_error.ts";
import { Http1Connection, type Http1Shared } from "./http1_connection.ts";
import { Http2Connection } from "./http2_connection.ts";
import { KnownHeads } from "./known_head.ts";
import type { NetworkOptions } from "./network_options.ts";
import { NodeWire } from "./node_wire.ts";
import { ReadBuffers } from "./read_buffers.ts";
import { WireStream } from "./wire_stream.ts";

const OFFERED = { auto: ["h2", "http/1.1"], http1: ["http/1.1"], http2: ["h2"] };

/** Makes connections: over Deno's sockets, or over Node's for TLS options that Deno does not have. */
export class Connector {
  readonly #options: NetworkOptions;
  readonly #http1Shared: Http1Shared;
  /** Whether an origin speaks HTTP/2, once a connection has shown it. */
  readonly #speaksHttp2 = new Map<Origin, boolean>();

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
  async connect(origin: Origin, reply: Reply, signal: AbortSignal): Promise<Connection> {
    const options = this.#options;
    reply.blockedMs = performance.now() - reply.startedAt;
    const { tls } = options;
    const needsNode = origin.secure && (tls.insecureSkipVerify || tls.cert !== undefined);
    const { wire, socket, protocol, ...times } = needsNode
      ? { wire: undefined, ...await dialNode(origin, options, this.#alpn, signal) }
      : { socket: undefined, ...await dial(origin, options, this.#alpn, signal) };
    Object.assign(reply, times);
    const isPlainHttp2 = !origin.secure && options.version === "http2";
    const isHttp2 = protocol === "h2" || isPlainHttp2;
    this.#speaksHttp2.set(origin, isHttp2);
    if (isHttp2) return new Http2Connection(socket ?? new WireStream(wire), origin, options);
    const plainWire = wire ?? new NodeWire(socket);
    if (options.version !== "http2") return new Http1Connection(plainWire, this.#http1Shared);
    plainWire.close();
    throw new ExchangeError("protocol", `${origin.authority} does not offer HTTP/2`);
  }

  get #alpn(): string[] {
    return OFFERED[this.#options.version];
  }
}
