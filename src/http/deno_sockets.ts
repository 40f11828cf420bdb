import type { Address, Secured, Sockets, TlsSession } from "./dial.ts";
import { closeQuietly, type Wire } from "./wire.ts";

/** Deno's sockets. They take less CPU time per request than Node's. */
export const DENO_SOCKETS: Sockets<Deno.TcpConn, Wire> = { connect, secure };

/**
 * Connects to `address`. Rejects at once if `signal` aborts. A DNS lookup cannot be aborted, so a
 * connection that still opens after the abort is closed.
 */
async function connect(address: Address, signal: AbortSignal): Promise<Deno.TcpConn> {
  const connecting = Deno.connect({ ...address, signal });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abandonDial = () => {
    reject(signal.reason);
    connecting.then((late) => late.close(), () => {});
  };
  signal.addEventListener("abort", abandonDial);
  try {
    const tcp = await Promise.race([connecting, aborted]);
    tcp.setNoDelay();
    return tcp;
  } finally {
    signal.removeEventListener("abort", abandonDial);
  }
}

async function secure(
  tcp: Deno.TcpConn,
  { serverName, alpn, tls }: TlsSession,
  signal: AbortSignal,
): Promise<Secured<Wire>> {
  const conn = await Deno.startTls(tcp, {
    hostname: serverName,
    caCerts: tls.ca === undefined ? [] : [tls.ca],
    alpnProtocols: alpn,
  });
  const abort = () => closeQuietly(conn);
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    const { alpnProtocol } = await conn.handshake();
    const stream: Wire = {
      read: (into) => conn.read(into).catch(nullAtEnd),
      write: (bytes) => conn.write(bytes),
      close: () => conn.close(),
    };
    return { stream, protocol: alpnProtocol ?? undefined };
  } catch (error) {
    closeQuietly(conn);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Returns null (end of stream) if `error` means that the peer ended TLS without a `close_notify`
 * alert, which many servers omit. Rethrows any other error.
 */
function nullAtEnd(error: unknown): null {
  if (error instanceof Deno.errors.UnexpectedEof) return null;
  throw error;
}
