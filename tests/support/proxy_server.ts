/** A request that the proxy received. */
export interface ProxyRequest {
  /** Request line, such as `CONNECT shop.test:443 HTTP/1.1`. */
  readonly line: string;
  /** Value of the Proxy-Authorization header; empty if there was none. */
  readonly authorization: string;
}

/**
 * An HTTP proxy on 127.0.0.1 that forwards requests and opens tunnels. It connects to the port of
 * the request on 127.0.0.1 regardless of the host name. If `status` is given, it refuses all
 * requests with that status.
 */
export class ProxyServer implements AsyncDisposable {
  readonly requests: ProxyRequest[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #serving: Promise<void>;

  constructor(status?: string) {
    this.#serving = this.#serve(status);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const conn of this.#open) close(conn);
    await this.#serving;
  }

  async #serve(status: string | undefined): Promise<void> {
    const running: Promise<void>[] = [];
    for await (const conn of this.#listener) {
      this.#open.add(conn);
      running.push(this.#handle(conn, status).catch(() => {}));
    }
    await Promise.all(running);
  }

  async #handle(client: Deno.Conn, status: string | undefined): Promise<void> {
    let text = "";
    const buffer = new Uint8Array(64 * 1024);
    while (!text.includes("\r\n\r\n")) {
      const size = await client.read(buffer);
      if (size === null) return close(client);
      text += new TextDecoder("latin1").decode(buffer.subarray(0, size));
    }
    const [line] = text.split("\r\n");
    const [, authorization = ""] = /^proxy-authorization: (.*)$/im.exec(text) ?? [];
    this.requests.push({ line, authorization: authorization.trim() });
    if (status !== undefined) {
      await client.write(encode(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
      return close(client);
    }
    const [, port = "80"] = /^\S+ (?:http:\/\/)?[^/\s]*?:(\d+)/.exec(line) ?? [];
    const server = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    this.#open.add(server);
    if (line.startsWith("CONNECT ")) {
      await client.write(encode("HTTP/1.1 200 Connection established\r\n\r\n"));
    } else {
      await server.write(encode(text.replace(/^(\S+) http:\/\/[^/\s]+/, "$1")));
    }
    await Promise.all([pipe(client, server), pipe(server, client)]);
  }
}

/** Copies bytes until one side closes, and closes both. */
async function pipe(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (let size; (size = await from.read(buffer)) !== null;) {
      for (let done = 0; done < size;) done += await to.write(buffer.subarray(done, size));
    }
  } catch {
    // The other side is closed.
  }
  close(from);
  close(to);
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is already closed.
  }
}

const encode = (text: string) => new TextEncoder().encode(text);
