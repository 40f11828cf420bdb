import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Origin } from "../sender.ts";
import { connectFault, tlsFault } from "./network_fault.ts";
import { hostAddress } from "./host_address.ts";
import type { NetworkOptions } from "./network_options.ts";

/** A new connection of `node:net` or `node:tls`, and what it took, in ms. */
export interface DialedSocket {
  readonly socket: Socket;
  /** The protocol agreed on by ALPN, if any was. */
  readonly protocol: string | undefined;
  readonly connectingMs: number;
  readonly tlsMs: number;
}

/**
 * Does what `dial` does, in Node's way, which knows more: no verification, client certificates,
 * sockets for HTTP/2. It costs more time per request, and an authority that is named stands in place
 * of the system's, not beside them.
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
  const abort = () => socket.destroy(new Error("given up"));
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

/** The event, or a rejection when the socket fails or closes before it. */
function once(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("the server closed the connection"));
    // One listener for errors stays on for good: an error that nobody listens for would be thrown.
    socket.on("error", reject);
    socket.once("close", closed);
    socket.once(event, () => {
      socket.off("close", closed);
      resolve();
    });
  });
}
