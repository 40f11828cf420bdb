import { bytesOf, textOf } from "./parsed.ts";

/** The server side of one connection, controlled by a test. */
export class Peer {
  /** Index of the connection, from 0. */
  readonly index: number;
  readonly #conn: Deno.Conn;
  #read = new Uint8Array(0);

  constructor(conn: Deno.Conn, index: number) {
    this.#conn = conn;
    this.index = index;
  }

  /**
   * Reads a request head, including the empty line. Returns "" if the client closes the connection.
   */
  async head(): Promise<string> {
    for (;;) {
      const end = textOf(this.#read).indexOf("\r\n\r\n");
      if (end >= 0) return textOf(this.#take(end + 4));
      if (!await this.#more()) return "";
    }
  }

  /** Reads `size` bytes of a request body. */
  async body(size: number): Promise<Uint8Array> {
    while (this.#read.length < size && await this.#more());
    return this.#take(size);
  }

  /** Reads the bytes that have arrived, at least one. Returns no bytes at the end. */
  async some(): Promise<Uint8Array> {
    if (this.#read.length === 0) await this.#more();
    return this.#take(this.#read.length);
  }

  /** Writes bytes, or text with one byte per character. */
  async write(content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === "string" ? bytesOf(content) : content;
    for (let at = 0; at < bytes.length;) at += await this.#conn.write(bytes.subarray(at));
  }

  /** Reads and discards bytes until the client closes the connection. */
  async untilClosed(): Promise<void> {
    while (await this.#more());
  }

  /** Copies bytes in both directions until one side closes the connection. */
  async forwardTo(conn: Deno.Conn): Promise<void> {
    const copies = [
      this.#conn.readable.pipeTo(conn.writable),
      conn.readable.pipeTo(this.#conn.writable),
    ];
    await Promise.race(copies.map((copy) => copy.catch(() => {})));
  }

  /** Closes the connection. */
  close(): void {
    try {
      this.#conn.close();
    } catch {
      // The connection is already closed.
    }
  }

  #take(size: number): Uint8Array {
    const taken = this.#read.slice(0, size);
    this.#read = this.#read.slice(size);
    return taken;
  }

  async #more(): Promise<boolean> {
    const buffer = new Uint8Array(64 * 1024);
    const size = await this.#conn.read(buffer).catch(() => null);
    if (size === null) return false;
    const joined = new Uint8Array(this.#read.length + size);
    joined.set(this.#read);
    joined.set(buffer.subarray(0, size), this.#read.length);
    this.#read = joined;
    return true;
  }
}

/** A server on 127.0.0.1 that runs a script for each connection. */
export interface WireServer extends AsyncDisposable {
  readonly port: number;
  /** URL of the path `/`. */
  readonly url: string;
  /** Number of accepted connections. */
  readonly accepted: number;
}

/** A whole HTTP/1.1 response with the body `ok`. */
export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Script that responds to each request with `OK`. */
export async function respondToAll(peer: Peer): Promise<void> {
  for (let head; (head = await peer.head()) !== "";) {
    await peer.write(head.startsWith("HEAD") ? OK.slice(0, -2) : OK);
  }
}

/**
 * Starts a server on a free port that runs `script` for each connection and then closes the
 * connection. Uses TLS if `tls` is given.
 */
export function wireServer(
  script: (peer: Peer) => Promise<void> | void,
  tls?: Deno.TlsCertifiedKeyPem,
): WireServer {
  const address = { hostname: "127.0.0.1", port: 0 };
  const listener = tls ? Deno.listenTls({ ...address, ...tls }) : Deno.listen(address);
  const peers: Peer[] = [];
  const runs: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const conn of listener) {
      const peer = new Peer(conn, peers.length);
      peers.push(peer);
      runs.push(runScript(script, peer));
    }
  })();
  const { port } = listener.addr as Deno.NetAddr;
  return {
    port,
    url: `http${tls ? "s" : ""}://127.0.0.1:${port}/`,
    get accepted() {
      return peers.length;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const peer of peers) peer.close();
      await accepting;
      await Promise.all(runs);
    },
  };
}

/** Runs a script. Ignores errors that occur because the client closes or aborts the connection. */
async function runScript(script: (peer: Peer) => Promise<void> | void, peer: Peer): Promise<void> {
  try {
    await script(peer);
  } catch (error) {
    const { errors } = Deno;
    const gone = [
      errors.BrokenPipe,
      errors.ConnectionReset,
      errors.Interrupted,
      errors.BadResource,
    ];
    const refused = [errors.InvalidData, errors.UnexpectedEof, errors.ConnectionAborted];
    if (![...gone, ...refused].some((kind) => error instanceof kind)) throw error;
  }
  peer.close();
}
