import { MAX_PROXY_HEAD } from "./proxies.ts";
import type { Address, Secured, Sockets, TlsSession } from "./dial.ts";
import { closeQuietly } from "./connection.ts";

/** Deno's sockets. They take less CPU time per request than Node's. */
export const DENO_SOCKETS: Sockets<Deno.Conn> = {
  connect,
  ask,
  secure,
  toWire: (conn) => conn,
};

/**
 * Connects to `address`. Rejects at once if `signal` aborts. A DNS lookup cannot be aborted, so if
 * the connection opens after the abort, it is closed.
 */
async function connect(address: Address, signal: AbortSignal): Promise<Deno.Conn> {
  const connecting = dialAddress(address, signal);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abandonDial = () => {
    reject(signal.reason);
    connecting.then((late) => late.close(), () => {});
  };
  signal.addEventListener("abort", abandonDial);
  try {
    const conn = await Promise.race([connecting, aborted]);
    if ("setNoDelay" in conn) (conn as Deno.TcpConn).setNoDelay();
    return conn;
  } finally {
    signal.removeEventListener("abort", abandonDial);
  }
}

function dialAddress({ path, hostname, port }: Address, signal: AbortSignal): Promise<Deno.Conn> {
  return path === undefined
    ? Deno.connect({ hostname, port, signal })
    : Deno.connect({ transport: "unix", path });
}

async function ask(conn: Deno.Conn, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const abort = () => closeQuietly(conn);
  signal.addEventListener("abort", abort);
  const buffer = new Uint8Array(1024);
  let text = "";
  try {
    signal.throwIfAborted();
    for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
    while (!text.includes("\r\n\r\n") && text.length < MAX_PROXY_HEAD) {
      const size = await conn.read(buffer);
      if (size === null) throw new Error("it closed the connection");
      text += new TextDecoder("latin1").decode(buffer.subarray(0, size));
    }
    return text;
  } catch (error) {
    closeQuietly(conn);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function secure(
  tcp: Deno.Conn,
  { serverName, alpn, tls }: TlsSession,
  signal: AbortSignal,
): Promise<Secured> {
  const conn = await Deno.startTls(tcp as Deno.TcpConn, {
    hostname: serverName,
    caCerts: tls.ca === undefined ? [] : [tls.ca],
    alpnProtocols: alpn,
  });
  const abort = () => closeQuietly(conn);
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    const { alpnProtocol } = await conn.handshake();
    return { wire: conn, protocol: alpnProtocol ?? undefined };
  } catch (error) {
    closeQuietly(conn);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
