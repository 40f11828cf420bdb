import type { Origin } from "./sender.ts";
import { connectFault, tlsFault } from "./exchange_error.ts";
import type { NetworkOptions, TlsOptions } from "./network_options.ts";

/**
 * Socket implementation: Deno's or Node's. `Tcp` is the type of a connection without TLS, and
 * `Stream` is the type of any connection.
 */
export interface Sockets<Tcp extends Stream, Stream> {
  /** Connects to `address`. Rejects if connecting fails. Rejects at once if `signal` aborts. */
  connect(address: Address, signal: AbortSignal): Promise<Tcp>;
  /**
   * Starts TLS on a connection. If the handshake fails or `signal` aborts, closes the connection and
   * rejects.
   */
  secure(tcp: Tcp, session: TlsSession, signal: AbortSignal): Promise<Secured<Stream>>;
}

/** Parameters of a TLS handshake. */
export interface TlsSession {
  /** Server name for SNI and certificate verification. */
  readonly serverName: string;
  /** Protocols to offer by ALPN. */
  readonly alpn: string[];
  readonly tls: TlsOptions;
}

/** New connection, and the protocol that ALPN negotiated (undefined if none). */
export interface Secured<Stream> {
  readonly stream: Stream;
  readonly protocol: string | undefined;
}

/** New connection, and the duration of each phase of connecting in milliseconds. */
export interface Dialed<Stream> extends Secured<Stream> {
  readonly connectingMs: number;
  readonly tlsMs: number;
}

/**
 * Connects to `origin`. If the origin uses TLS, offers the protocols in `alpn`. Rejects with an
 * `ExchangeError` of the kind `dns`, `refused`, `connect`, `timeout` or `tls`, or with any error if
 * `signal` aborts.
 */
export async function dial<Tcp extends Stream, Stream>(
  sockets: Sockets<Tcp, Stream>,
  origin: Origin,
  { hosts, tls }: NetworkOptions,
  alpn: string[],
  signal: AbortSignal,
): Promise<Dialed<Stream>> {
  const startedAt = performance.now();
  const where = origin.authority;
  const tcp = await sockets.connect(hostAddress(origin, hosts), signal).catch((error) => {
    throw connectFault(error, where);
  });
  const connectedAt = performance.now();
  const connectingMs = connectedAt - startedAt;
  if (!origin.secure) return { stream: tcp, protocol: undefined, connectingMs, tlsMs: 0 };
  const session = { serverName: tls.serverName ?? origin.host, alpn, tls };
  const secured = await sockets.secure(tcp, session, signal).catch((error) => {
    throw tlsFault(error, where);
  });
  return { ...secured, connectingMs, tlsMs: performance.now() - connectedAt };
}

/** Host name or IP address, and port, to connect to. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
}

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/;

/**
 * Returns the address to connect to for `origin`. Uses the entry for `host:port` or `host` in
 * `hosts`, or the origin's own host and port if there is no entry.
 */
export function hostAddress(
  { host, port }: Origin,
  hosts: Readonly<Record<string, string>>,
): Address {
  const to = own(hosts, `${host}:${port}`) ?? own(hosts, host);
  if (to === undefined) return { hostname: host, port };
  const [, bracketed, plain, otherPort] = WITH_PORT.exec(to) ?? [];
  if (otherPort) return { hostname: bracketed ?? plain, port: Number(otherPort) };
  return { hostname: to.replace(/^\[(.*)\]$/, "$1"), port };
}

function own(hosts: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(hosts, key) ? hosts[key] : undefined;
}
