/** Properties of a request that a `SessionRecorder` sends and records. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
}

/** A recorder's connection to a server. */
export interface RecordedServer {
  /** Origin to which requests are sent. */
  readonly origin: string;
  /** Sends a request without following redirects. */
  send(request: Request): Promise<Response>;
  /** Returns the current time in Unix milliseconds. */
  now(): number;
}

/** Sends the requests of a session, and records them as the entries of a HAR. */
export class SessionRecorder {
  /** Recorded calls, as entries of a HAR. */
  readonly entries: unknown[] = [];
  /** Target of the redirect in the last response; empty if the response was not a redirect. */
  redirectedTo = "";
  readonly #server: RecordedServer;
  readonly #cookies = new Map<string, string>();

  constructor(server: RecordedServer) {
    this.#server = server;
  }

  /**
   * Returns the recording as the text of a HAR file, with `origin` in place of the server's origin.
   */
  toHar(origin: string): string {
    const creator = { name: "rehearse record_demo", version: "1" };
    const har = { log: { version: "1.2", creator, pages: [], entries: this.entries } };
    return JSON.stringify(har, null, 2).replaceAll(this.#server.origin, origin) + "\n";
  }

  /** Sends a request to the JSON API and returns the parsed response. */
  // deno-lint-ignore no-explicit-any -- each response has its own members
  async api(path: string, sent: Sent = {}): Promise<any> {
    return JSON.parse(await this.visit(path, sent));
  }

  /**
   * Sends a request, records it, and returns the text of the response. Throws an Error if the
   * request fails.
   */
  async visit(path: string, { headers = {}, json, form, method }: Sent = {}): Promise<string> {
    const text = json ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
    const cookies = [...this.#cookies].map((pair) => pair.join("=")).join("; ");
    const request = {
      method: method ?? (text === undefined ? "GET" : "POST"),
      headers: {
        "user-agent": "Mozilla/5.0 (demo)",
        accept: path.startsWith("/api/") ? "application/json" : "*/*",
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...(cookies !== "" && { cookie: cookies }),
        ...headers,
      } as Record<string, string>,
    };
    const url = this.#server.origin + path;
    const started = this.#server.now();
    const response = await this.#server.send(
      new Request(url, { ...request, body: text, redirect: "manual" }),
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    const time = this.#server.now() - started;
    if (response.status >= 400) throw new Error(`${request.method} ${path}: ${response.status}`);
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    this.redirectedTo = response.headers.get("location") ?? "";
    this.entries.push({
      startedDateTime: new Date(started).toISOString(),
      time,
      request: {
        ...recorded(request.headers),
        method: request.method,
        url,
        ...(text !== undefined && { postData: postData(request.headers["content-type"], text) }),
        queryString: fields(new URL(url).searchParams),
        bodySize: text?.length ?? 0,
      },
      response: {
        ...recorded(response.headers),
        status: response.status,
        statusText: response.statusText,
        content: content(response.headers.get("content-type") ?? "", bytes),
        redirectURL: this.redirectedTo,
        bodySize: bytes.length,
      },
      cache: {},
      timings: { send: 0, wait: time, receive: 0 },
    });
    return new TextDecoder().decode(bytes);
  }

  #keep(setCookie: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(setCookie)!;
    this.#cookies.set(name, value);
  }
}

function recorded(headers: HeadersInit) {
  return {
    httpVersion: "HTTP/1.1",
    headers: fields(new Headers(headers)),
    cookies: [],
    headersSize: -1,
  };
}

function fields(pairs: Iterable<[string, string]>) {
  return [...pairs].map(([name, value]) => ({ name, value }));
}

function postData(mimeType: string, text: string) {
  if (mimeType === "application/json") return { mimeType, text };
  return { mimeType, text, params: fields(new URLSearchParams(text)) };
}

function content(mimeType: string, bytes: Uint8Array) {
  if (!mimeType.startsWith("image/")) {
    return { size: bytes.length, mimeType, text: new TextDecoder().decode(bytes) };
  }
  return { size: bytes.length, mimeType, text: bytes.toBase64(), encoding: "base64" };
}
