import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Origin } from "./sender.ts";
import { connectFault, tlsFault } from "./exchange_error.ts";
import { hostAddress } from "./host_address.ts";
import type { NetworkOptions } from "./network_options.ts";
import type { Wire } from "./wire.ts";

/**
 * New `node:net` or `node:tls` connection and the milliseconds that each phase of connecting took.
 */
export interface DialedSocket {
  readonly socket: Socket;
  /** Protocol that ALPN negotiated. Undefined if none was negotiated. */
  readonly protocol: string | undefined;
  readonly connectingMs: number;
  readonly tlsMs: number;
}

/**
 * Connects like `dial`, over Node's sockets. They also support client certificates, skipping the
 * verification, and HTTP/2. They cost more time per request, and a CA that is given replaces those of
 * the system instead of extending them.
 */
export async function dialNode(
  origin: Origin,
  options: NetworkOptions,
  alpn: string[],
  signal: AbortSignal,
): Promise<DialedSocket> {
  const startedAt = performance.now();
  const { hostname, port } = hostAddress(origin, options.hosts);
  const socket = connectTcp({ host: hostname, port, noDelay: true });
  const abort = () => socket.destroy(new Error("the connect was aborted"));
  signal.addEventListener("abort", abort);
  try {
    await once(socket, "connect").catch((error) => {
      throw connectFault(error, origin.authority);
    });
    const connectedAt = performance.now();
    const connectingMs = connectedAt - startedAt;
    if (!origin.secure) return { socket, protocol: undefined, connectingMs, tlsMs: 0 };
    const secured = await secure(socket, origin, options, alpn);
    const protocol = secured.alpnProtocol || undefined;
    return { socket: secured, protocol, connectingMs, tlsMs: performance.now() - connectedAt };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function secure(
  socket: Socket,
  { host, authority }: Origin,
  { tls }: NetworkOptions,
  ALPNProtocols: string[],
): Promise<TLSSocket> {
  const name = tls.serverName ?? host;
  try {
    const secured = connectTls({
      socket,
      host: name,
      servername: isIP(name) ? undefined : name,
      ca: tls.ca,
      cert: tls.cert,
      key: tls.key,
      rejectUnauthorized: !tls.insecureSkipVerify,
      ALPNProtocols,
    });
    await once(secured, "secureConnect");
    return secured;
  } catch (error) {
    socket.destroy();
    throw tlsFault(error, authority);
  }
}

/** Waits for an event of the socket. Rejects if the socket fails or closes before the event. */
function once(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("the server closed the connection"));
    // This listener stays: an `error` event without a listener would be thrown.
    socket.on("error", reject);
    socket.once("close", closed);
    socket.once(event, () => {
      socket.off("close", closed);
      resolve();
    });
  });
}

/** Adapts a Node socket to `Wire`. The socket must have an `error` listener. */
export class NodeWire implements Wire {
  readonly #socket: Socket;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    const wake = () => this.#wake();
    for (const event of ["readable", "end", "close"]) socket.on(event, wake);
    socket.on("error", (error) => this.#error = error);
  }

  async read(into: Uint8Array): Promise<number | null> {
    const socket = this.#socket;
    for (;;) {
      const size = Math.min(socket.readableLength, into.length);
      const bytes: Uint8Array | null = size > 0 ? socket.read(size) : null;
      if (bytes !== null) {
        into.set(bytes);
        return bytes.length;
      }
      if (this.#error) throw this.#error;
      if (socket.readableEnded) return null;
      if (socket.destroyed) throw new Error("the socket was closed");
      // At the end of the stream, `end` is emitted only after another `read`.
      socket.read(0);
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
