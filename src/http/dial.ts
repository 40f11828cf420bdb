import { formatMs } from "../base/format.ts";
import { safeSnippet } from "../base/safe_text.ts";
import { connectFault, ExchangeError, tlsFault } from "./exchange_error.ts";
import { type NetworkOptions, type Proxy, proxyFor, type TlsOptions } from "./network_options.ts";
import type { Origin } from "./sender.ts";
import { closeQuietly, type Wire } from "./connection.ts";

/** Socket implementation: Deno's or Node's. `Tcp` is the type of a connection without TLS. */
export interface Sockets<Tcp> {
  /** Connects to `address`. Rejects if connecting fails. Rejects at once if `signal` aborts. */
  connect(address: Address, signal: AbortSignal): Promise<Tcp>;
  /**
   * Writes `bytes` and resolves to what it reads until an empty line, as text. Closes the
   * connection if it rejects. Only Node's sockets have this method, so that only they can use a
   * tunnel.
   */
  ask?(tcp: Tcp, bytes: Uint8Array, signal: AbortSignal): Promise<string>;
  /** Starts TLS on a connection, or closes it and rejects. */
  secure(tcp: Tcp, session: TlsSession, signal: AbortSignal): Promise<Secured>;
  toWire(tcp: Tcp): Wire;
}

export interface TlsSession {
  readonly serverName: string;
  readonly alpn: string[];
  readonly tls: TlsOptions;
}

/** New connection, and the protocol that ALPN negotiated, if any. */
export interface Secured {
  readonly wire: Wire;
  readonly protocol: string | undefined;
}

/** New connection, and how long each phase of connecting took, in milliseconds. */
export interface Dialed extends Secured {
  readonly connectingMs: number;
  readonly tlsMs: number;
}

export interface DialOptions {
  readonly alpn: string[];
  readonly proxy: Proxy | undefined;
  readonly tunnels: boolean;
}

/**
 * Connects to `origin`, perhaps through a proxy. Rejects with an `ExchangeError` of the kind `dns`,
 * `refused`, `connect`, `timeout` or `tls`, or with any error if `signal` aborts.
 */
export async function dial<Tcp>(
  sockets: Sockets<Tcp>,
  origin: Origin,
  network: NetworkOptions,
  options: DialOptions,
  signal: AbortSignal,
): Promise<Dialed> {
  const { connectTimeoutMs } = network;
  if (connectTimeoutMs === undefined) return await open(sockets, origin, network, options, signal);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), connectTimeoutMs);
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    return await open(sockets, origin, network, options, either);
  } catch (error) {
    if (!timeout.signal.aborted || signal.aborted) throw error;
    const message = `cannot connect to ${origin.authority}: no connection within ${
      formatMs(connectTimeoutMs)
    } (\`connect_timeout\`)`;
    throw new ExchangeError("timeout", message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function open<Tcp>(
  sockets: Sockets<Tcp>,
  origin: Origin,
  network: NetworkOptions,
  { alpn, proxy, tunnels }: DialOptions,
  signal: AbortSignal,
): Promise<Dialed> {
  const startedAt = performance.now();
  const { tls } = network;
  const where = origin.authority;
  const via = proxy === undefined ? where : `the proxy ${proxy.hostname}:${proxy.port}`;
  const address: Address = proxy ?? hostAddress(origin, network.hosts);
  const tcp = await sockets.connect(address, signal)
    .catch((error) => {
      throw connectFault(error, via);
    });
  if (proxy && tunnels) {
    await openTunnel((bytes) => sockets.ask!(tcp, bytes, signal), origin, proxy).catch((error) => {
      closeQuietly(sockets.toWire(tcp));
      throw error;
    });
  }
  const connectedAt = performance.now();
  const connectingMs = connectedAt - startedAt;
  if (!origin.secure) {
    return { wire: sockets.toWire(tcp), protocol: undefined, connectingMs, tlsMs: 0 };
  }
  const session = { serverName: tls.serverName ?? origin.host, alpn, tls };
  const secured = await sockets.secure(tcp, session, signal).catch((error) => {
    throw tlsFault(error, where);
  });
  return { ...secured, connectingMs, tlsMs: performance.now() - connectedAt };
}

/** Returns the proxy for `origin`, if any. Throws ExchangeError if it is not supported. */
export function supportedProxy(origin: Origin, network: NetworkOptions): Proxy | undefined {
  try {
    return proxyTo(origin, network);
  } catch (error) {
    throw connectFault(error, origin.authority);
  }
}

/** Host name or IP address, and port, to connect to. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
  /** Path of a Unix socket to connect to instead of `hostname` and `port`. */
  readonly path?: string;
}

/** Returns the proxy for `origin`, if any, to which origins in `hosts` are an exception. */
export function proxyTo(
  origin: Origin,
  { hosts, proxies }: Pick<NetworkOptions, "hosts" | "proxies">,
): Proxy | undefined {
  return hostEntry(origin, hosts) === undefined ? proxyFor(origin, proxies) : undefined;
}

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/;

/** Returns the address of `origin`: that in `hosts`, or its own. */
export function hostAddress(
  origin: Origin,
  hosts: Readonly<Record<string, string>>,
): Address {
  const { host, port } = origin;
  const to = hostEntry(origin, hosts);
  if (to === undefined) return { hostname: host, port };
  if (to.startsWith("unix:")) return { hostname: host, port, path: to.slice("unix:".length) };
  const [, bracketed, plain, otherPort] = WITH_PORT.exec(to) ?? [];
  if (otherPort) return { hostname: bracketed ?? plain, port: Number(otherPort) };
  return { hostname: to.replace(/^\[(.*)\]$/, "$1"), port };
}

function hostEntry(
  { host, port }: Origin,
  hosts: Readonly<Record<string, string>>,
): string | undefined {
  const key = [`${host}:${port}`, host].find((key) => Object.hasOwn(hosts, key));
  return key === undefined ? undefined : hosts[key];
}

/** Makes a proxy connect to `origin`. `ask` resolves to the head of its response. */
async function openTunnel(
  ask: (bytes: Uint8Array) => Promise<string>,
  { host, port, authority }: Origin,
  { authorization }: Proxy,
): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    "User-Agent: rehearse",
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
  ];
  const bytes = new TextEncoder().encode(request.map((line) => `${line}\r\n`).join("") + "\r\n");
  const head = await ask(bytes).catch((error) => {
    throw connectFault(error, `${authority} through the proxy`);
  });
  const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(head) ?? [];
  if (status?.startsWith("2")) return;
  const line = safeSnippet(head.split("\r\n")[0]);
  const hint = status === "407"
    ? "; set the user name and password of the proxy in its URL"
    : status === undefined
    ? "; it is not an HTTP proxy"
    : "";
  throw new ExchangeError("connect", `the proxy did not connect to ${authority}: ${line}${hint}`);
}
