import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { closeQuietly, type Wire } from "./connection.ts";
import type { Address, Secured, Sockets, TlsSession } from "./dial.ts";

/** Maximum size of a proxy's response to CONNECT, in characters. */
const MAX_PROXY_HEAD = 16 * 1024;

/** Deno's sockets. They take less CPU time per request than Node's. */
export const DENO_SOCKETS: Sockets<Deno.Conn> = {
  connect: connectDeno,
  secure: secureDeno,
  toWire: (conn) => conn,
};

/** Connects to `address`. A DNS lookup cannot be aborted, so a late connection is closed. */
async function connectDeno(address: Address, signal: AbortSignal): Promise<Deno.Conn> {
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

async function secureDeno(
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

/** They take more CPU time than Deno's, but support client certificates and unverified servers. */
export const NODE_SOCKETS: Sockets<Socket> = {
  connect: connectNode,
  ask: askNode,
  secure: secureNode,
  toWire: (socket) => new NodeWire(socket),
};

async function connectNode(
  { hostname, port, path }: Address,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = path === undefined
    ? connectTcp({ host: hostname, port, noDelay: true })
    : connectTcp({ path });
  await onceUnlessAborted(socket, socket, "connect", signal);
  return socket;
}

async function askNode(socket: Socket, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const abort = () => socket.destroy(new Error("the connection attempt was aborted"));
  signal.addEventListener("abort", abort);
  let take: (chunk: Uint8Array) => void = () => {};
  try {
    signal.throwIfAborted();
    return await new Promise<string>((resolve, reject) => {
      let text = "";
      socket.on("error", reject);
      socket.once("close", () => reject(new Error("it closed the connection")));
      socket.on(
        "data",
        take = (chunk) => {
          text += new TextDecoder("latin1").decode(chunk);
          if (text.includes("\r\n\r\n") || text.length >= MAX_PROXY_HEAD) resolve(text);
        },
      );
      socket.write(bytes);
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off("data", take);
    socket.pause();
    signal.removeEventListener("abort", abort);
  }
}

async function secureNode(
  socket: Socket,
  { serverName, alpn, tls }: TlsSession,
  signal: AbortSignal,
): Promise<Secured> {
  try {
    signal.throwIfAborted();
    const secured = connectTls({
      socket,
      host: serverName,
      servername: isIP(serverName) ? undefined : serverName,
      ca: tls.ca,
      cert: tls.cert,
      key: tls.key,
      rejectUnauthorized: !tls.insecureSkipVerify,
      minVersion: tls.minVersion,
      maxVersion: tls.maxVersion,
      ALPNProtocols: alpn,
    });
    await onceUnlessAborted(socket, secured, "secureConnect", signal);
    return { wire: new NodeWire(secured), protocol: secured.alpnProtocol || undefined };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function onceUnlessAborted(
  socket: Socket,
  stream: Socket,
  event: string,
  signal: AbortSignal,
): Promise<void> {
  const abort = () => socket.destroy(new Error("the connection attempt was aborted"));
  signal.addEventListener("abort", abort);
  try {
    await once(stream, event);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Waits for `event` on `socket`. Rejects if the socket fails or closes before the event. */
function once(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("the server closed the connection"));
    // This listener is never removed, because an `error` event without a listener would be thrown.
    socket.on("error", reject);
    socket.once("close", closed);
    socket.once(event, () => {
      socket.off("close", closed);
      resolve();
    });
  });
}

/** Adapts a Node socket to `Wire`. The socket must have an `error` listener. */
class NodeWire implements Wire {
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
