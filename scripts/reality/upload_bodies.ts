import { freePort } from "../local_port.ts";

/** A request from a browser, parsed from the bytes that `UploadTee` relayed. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
}

/**
 * Relays bytes between a browser and the application, and keeps a copy of what the browser sends.
 * Chromium omits request bodies with files from a HAR. `addBodies` adds them afterwards.
 */
export class UploadTee {
  /** Port that the browser connects to. */
  readonly port: number = freePort();
  readonly #listener: Deno.TcpListener;
  readonly #sent: Uint8Array[][] = [];

  constructor(application: number) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: this.port });
    this.#serve(application);
  }

  close(): void {
    this.#listener.close();
  }

  /** Adds the request bodies that Chromium omitted to the HAR at `path`, if they are text. */
  addBodies(path: string): void {
    const har = JSON.parse(Deno.readTextFileSync(path));
    const seen = this.#sent.flatMap((chunks) => [...readRequests(concatenate(chunks))])
      .filter(({ body }) => body.length > 0);
    for (const { request } of har.log.entries) {
      const { pathname, search } = new URL(request.url);
      const type = request.headers.find(({ name }: { name: string }) =>
        name.toLowerCase() === "content-type"
      )?.value ?? "";
      const match = seen.findIndex((one) =>
        one.method === request.method && one.path === pathname + search && one.type === type
      );
      if (match < 0) continue;
      const [{ body }] = seen.splice(match, 1);
      const text = decodeUtf8(body);
      if (request.postData !== undefined || text === undefined) continue;
      request.postData = { mimeType: type, text };
      request.bodySize = body.length;
    }
    Deno.writeTextFileSync(path, JSON.stringify(har, null, 2));
  }

  async #serve(application: number): Promise<void> {
    for await (const browser of this.#listener) this.#connect(browser, application);
  }

  async #connect(browser: Deno.Conn, application: number): Promise<void> {
    const chunks: Uint8Array[] = [];
    this.#sent.push(chunks);
    const server = await Deno.connect({ hostname: "127.0.0.1", port: application });
    const copy = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        chunks.push(chunk);
        controller.enqueue(chunk);
      },
    });
    const ended = () => {}; // Either side may close or reset the connection.
    await Promise.all([
      browser.readable.pipeThrough(copy).pipeTo(server.writable).catch(ended),
      server.readable.pipeTo(browser.writable).catch(ended),
    ]);
  }
}

/** Splits the bytes of a connection into requests. Stops at bytes that are not HTTP/1.1. */
function* readRequests(bytes: Uint8Array): Generator<SeenRequest> {
  const latin1 = new TextDecoder("latin1");
  for (let start = 0; start < bytes.length;) {
    const text = latin1.decode(bytes.subarray(start, start + 65_536));
    const end = text.indexOf("\r\n\r\n");
    const line = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/.exec(text);
    if (end < 0 || line === null) return;
    const head = text.slice(0, end);
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(head)?.[1].trim();
    const from = start + end + 4;
    start = from + Number(header("content-length") ?? 0);
    const [, method, path] = line;
    yield { method, path, type: header("content-type") ?? "", body: bytes.slice(from, start) };
  }
}

/** Returns the text, or undefined if the bytes are not valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
