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
import type { Wire } from "./wire.ts";

const OFFERED = { auto: ["h2", "http/1.1"], http1: ["http/1.1"], http2: ["h2"] };

/** Makes connections: over Deno's sockets where they will do, over Node's where they are needed. */
export class Connector {
  readonly #options: NetworkOptions;
  readonly #http1Shared: Http1Shared;
  readonly #offeringHttp2 = new Set<Origin>();

  constructor(options: NetworkOptions) {
    this.#options = options;
    const { limits, keepAlive } = options;
    const [buffers, heads] = [new ReadBuffers(), new KnownHeads()];
    this.#http1Shared = { limits, keepAlive, buffers, heads };
  }

  /**
   * Connects to `origin` and notes in `reply` what it took. Rejects with an `ExchangeError`; with
   * anything when `signal` aborts it.
   */
  async connect(origin: Origin, reply: Reply, signal: AbortSignal): Promise<Connection> {
    reply.blockedMs = performance.now() - reply.startedAt;
    if (!this.#needsNode(origin)) {
      const { wire, protocol, ...times } = await dial(origin, this.#options, this.#alpn, signal);
      if (protocol !== "h2") {
        Object.assign(reply, times);
        return this.#http1(wire);
      }
      // HTTP/2 needs a socket of Node's: this connection only served to learn that.
      wire.close();
      this.#offeringHttp2.add(origin);
      reply.blockedMs = performance.now() - reply.startedAt;
    }
    return this.#connectNode(origin, reply, signal);
  }

  #needsNode(origin: Origin): boolean {
    const { version, tls } = this.#options;
    if (version === "http2") return true;
    const unusual = tls.insecureSkipVerify || tls.cert !== undefined;
    return origin.secure && (unusual || this.#offeringHttp2.has(origin));
  }

  async #connectNode(origin: Origin, reply: Reply, signal: AbortSignal): Promise<Connection> {
    const options = this.#options;
    const { socket, protocol, ...times } = await dialNode(origin, options, this.#alpn, signal);
    Object.assign(reply, times);
    const isPlainHttp2 = !origin.secure && options.version === "http2";
    if (protocol === "h2" || isPlainHttp2) return new Http2Connection(socket, origin, options);
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
