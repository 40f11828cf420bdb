/** A request that a server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  /** Headers in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body, one character per byte. */
  readonly body: string;
}

/** A response that the server sends. */
export interface PlannedResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const ENCODER = new TextEncoder();
const LATIN = new TextDecoder("latin1");

/** HTTP/1.1 server on 127.0.0.1 that records each request exactly as received. */
export class RecordingServer implements AsyncDisposable {
  /** Requests in the order received. */
  readonly received: ReceivedRequest[] = [];
  readonly port: number;
  /** Returns the response to a request. */
  respond: (request: ReceivedRequest) => PlannedResponse = () => EMPTY;
  readonly #listener: Deno.TcpListener;
  readonly #open = new Set<Deno.Conn>();
  readonly #accepting: Promise<void>;

  constructor(port = 0) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port });
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) connection.close();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    const serving: Promise<void>[] = [];
    for await (const connection of this.#listener) serving.push(this.#serve(connection));
    await Promise.all(serving);
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    this.#open.add(connection);
    try {
      let text = "";
      const buffer = new Uint8Array(1 << 16);
      for (;;) {
        const length = await connection.read(buffer);
        if (length === null) return;
        text += LATIN.decode(buffer.subarray(0, length));
        for (let one = takeRequest(text); one !== undefined; one = takeRequest(text)) {
          text = text.slice(one.length);
          this.received.push(one.request);
          const bytes = encodeResponse(this.respond(one.request), one.request.method);
          for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
        }
      }
    } catch (error) {
      // The client closed the connection.
      if (
        !(error instanceof Deno.errors.Interrupted || error instanceof Deno.errors.BadResource ||
          error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe)
      ) throw error;
    } finally {
      this.#open.delete(connection);
      try {
        connection.close();
      } catch {
        // The connection was already closed when the server stopped.
      }
    }
  }
}

const EMPTY: PlannedResponse = {
  status: 200,
  headers: [["Content-Type", "text/plain"]],
  body: "ok",
};

/** Reads the first complete request in a string, and returns it with its length. */
function takeRequest(text: string): { request: ReceivedRequest; length: number } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first, ...lines] = text.slice(0, end).split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const size = Number(headers.find(([name]) => /^content-length$/i.test(name))?.[1] ?? 0);
  const start = end + 4;
  if (text.length < start + size) return undefined;
  const [method, target] = first.split(" ");
  const body = text.slice(start, start + size);
  return { request: { method, target, headers, body }, length: start + size };
}

/** Headers that the server sets itself. */
const OWN =
  /^(?:content-length|content-encoding|transfer-encoding|connection|keep-alive|alt-svc)$/i;

function encodeResponse({ status, headers, body }: PlannedResponse, method: string): Uint8Array {
  const hasBody = status >= 200 && status !== 204 && status !== 304;
  const bytes = ENCODER.encode(hasBody ? body : "");
  const lines = headers.filter(([name, value]) =>
    !OWN.test(name) && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[\r\n\0]/.test(value)
  ).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = hasBody ? `Content-Length: ${bytes.length}\r\n` : "";
  const head = ENCODER.encode(`HTTP/1.1 ${status} x\r\n${lines.join("")}${length}\r\n`);
  const isEmpty = method === "HEAD";
  const all = new Uint8Array(head.length + (isEmpty ? 0 : bytes.length));
  all.set(head);
  if (!isEmpty) all.set(bytes, head.length);
  return all;
}
