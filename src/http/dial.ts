import type { Origin } from "./sender.ts";
import { connectFault, tlsFault } from "./exchange_error.ts";
import { type Address, hostAddress } from "./host_address.ts";
import type { NetworkOptions } from "./network_options.ts";
import { closeQuietly, type Wire } from "./wire.ts";

/** New connection and the milliseconds that each phase of connecting took. */
export interface Dialed {
  readonly wire: Wire;
  /** Protocol that ALPN negotiated. Undefined if none was negotiated. */
  readonly protocol: string | undefined;
  readonly connectingMs: number;
  readonly tlsMs: number;
}

/**
 * Connects to `origin`. Over TLS, offers the protocols in `alpn`. Rejects with an `ExchangeError`
 * of the kind `dns`, `refused`, `connect`, `timeout` or `tls`, or with any error if `signal`
 * aborts.
 */
export async function dial(
  origin: Origin,
  options: NetworkOptions,
  alpn: string[],
  signal: AbortSignal,
): Promise<Dialed> {
  const startedAt = performance.now();
  const where = origin.authority;
  const tcp = await connect(hostAddress(origin, options.hosts), signal).catch((error) => {
    throw connectFault(error, where);
  });
  tcp.setNoDelay();
  const connectedAt = performance.now();
  const connectingMs = connectedAt - startedAt;
  if (!origin.secure) return { wire: tcp, protocol: undefined, connectingMs, tlsMs: 0 };
  const { wire, protocol } = await secure(tcp, origin, options, alpn, signal).catch((error) => {
    throw tlsFault(error, where);
  });
  return { wire, protocol, connectingMs, tlsMs: performance.now() - connectedAt };
}

/**
 * Connects, and rejects at once if `signal` aborts. Aborting does not cancel the DNS lookup, so a
 * connection that still opens is closed.
 */
function connect(address: Address, signal: AbortSignal): Promise<Deno.TcpConn> {
  const connecting = Deno.connect({ ...address, signal });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abandonDial = () => {
    reject(signal.reason);
    connecting.then((late) => late.close(), () => {});
  };
  signal.addEventListener("abort", abandonDial);
  return Promise.race([connecting, aborted])
    .finally(() => signal.removeEventListener("abort", abandonDial));
}

async function secure(
  tcp: Deno.TcpConn,
  { host }: Origin,
  { tls }: NetworkOptions,
  alpnProtocols: string[],
  signal: AbortSignal,
): Promise<{ wire: Wire; protocol: string | undefined }> {
  const conn = await Deno.startTls(tcp, {
    hostname: tls.serverName ?? host,
    caCerts: tls.ca === undefined ? [] : [tls.ca],
    alpnProtocols,
  });
  const abort = () => closeQuietly(conn);
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    const { alpnProtocol } = await conn.handshake();
    const wire: Wire = {
      read: (into) => conn.read(into).catch(nullAtEnd),
      write: (bytes) => conn.write(bytes),
      close: () => conn.close(),
    };
    return { wire, protocol: alpnProtocol ?? undefined };
  } catch (error) {
    closeQuietly(conn);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Treats an end without `close_notify` as a regular end, because many servers omit the alert. */
function nullAtEnd(error: unknown): null {
  if (error instanceof Deno.errors.UnexpectedEof) return null;
  throw error;
}
