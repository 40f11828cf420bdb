import type { Clock } from "../../src/engine/vu/clock.ts";
import {
  clearResponse,
  type HttpSession,
  type Outgoing,
  type Sender,
} from "../../src/http/sender.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { FakeSocket, type SocketScript } from "./fake_socket.ts";

/** A request to a model application. */
export interface ModelRequest {
  readonly method: string;
  /** Path, such as `/orders/17`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly cookies: ReadonlyMap<string, string>;
  readonly body: string;
  readonly form: URLSearchParams;
  /** Origin to which the request was sent. */
  readonly origin: string;
}

/** A response of a model application. */
export interface ModelResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly html?: string;
  readonly json?: unknown;
  readonly text?: string;
  readonly xml?: string;
  /** Data of server-sent events. */
  readonly events?: readonly string[];
  /** Reason why the connection fails, instead of a response. */
  readonly fault?: string;
}

/** A small application with its own data, as a function that responds to requests. */
export type ModelApp = (request: ModelRequest) => ModelResponse;

/** Creates an application whose generated values depend on the seed. */
export type CreateApp = (seed: number) => ModelApp;

/** Generates pseudo-random values that differ between seeds. */
export class Values {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 7_919 + 17;
  }

  /** Returns `length` pseudo-random hexadecimal digits. */
  hex(length: number): string {
    return Array.from({ length }, () => this.int(16).toString(16)).join("");
  }

  /** Returns an integer below `limit`. */
  int(limit: number): number {
    this.#state = (this.#state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(this.#state / 2 ** 31 * limit);
  }
}

function toResponse(
  { status = 200, headers = {}, cookies = [], html, json, text, xml, events }: ModelResponse,
) {
  const type = html !== undefined
    ? "text/html; charset=utf-8"
    : json !== undefined
    ? "application/json"
    : xml !== undefined
    ? "text/xml"
    : events !== undefined
    ? "text/event-stream"
    : text !== undefined
    ? "text/plain"
    : undefined;
  return {
    status,
    headers: [
      ...Object.entries(headers),
      ...cookies.map((cookie): [string, string] => ["Set-Cookie", cookie]),
      ...(type ? [["Content-Type", type] as [string, string]] : []),
    ],
    body: html ?? xml ?? events?.map((data) => `data: ${data}\n\n`).join("") ??
      (json === undefined ? text ?? "" : JSON.stringify(json)),
  };
}

function toRequest(
  method: string,
  url: URL,
  headers: readonly (readonly [string, string])[],
  body: string,
): ModelRequest {
  const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  const pairs = (all.get("cookie") ?? "").split("; ").filter(Boolean).map((pair) => {
    const equals = pair.indexOf("=");
    return [pair.slice(0, equals), pair.slice(equals + 1)] as const;
  });
  return {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers: all,
    cookies: new Map(pairs),
    body,
    form: new URLSearchParams(body),
    origin: url.origin,
  };
}

/** Content of a request that a recorded browser sends. */
export interface BrowserRequest {
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Duration of each recorded call in milliseconds. */
const DURATION = 20;

/** A browser that uses an application and records the calls as a HAR. */
export class ModelBrowser {
  readonly #app: ModelApp;
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();
  readonly #entries: unknown[] = [];
  readonly #gap: number;

  /** `gap` is the time from the end of a call to the start of the next one, in milliseconds. */
  constructor(app: ModelApp, origin = "http://recorded.example:8080", gap = 980) {
    this.#app = app;
    this.#origin = origin;
    this.#gap = gap;
  }

  /**
   * Sends a request, without following redirects. Returns the status, the `Location` header and the
   * body of the response.
   */
  send(method: string, path: string, sent: BrowserRequest = {}) {
    const url = new URL(path, this.#origin);
    const body = sent.form
      ? new URLSearchParams(sent.form).toString()
      : sent.json === undefined
      ? ""
      : JSON.stringify(sent.json);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const type = sent.form ? "application/x-www-form-urlencoded" : "application/json";
    const headers: [string, string][] = [
      ...Object.entries(sent.headers ?? {}),
      ...(cookie ? [["Cookie", cookie] as [string, string]] : []),
      ...(body ? [["Content-Type", type] as [string, string]] : []),
    ];
    const answer = toResponse(this.#app(toRequest(method, url, headers, body)));
    for (const [name, value] of answer.headers) {
      if (name !== "Set-Cookie") continue;
      const [, key, content] = /^([^=]+)=([^;]*)/.exec(value)!;
      this.#cookies.set(key, content);
    }
    this.#record(method, url.href, headers, body && type, body, answer);
    const location = answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1] ?? "";
    return { status: answer.status, location, body: answer.body };
  }

  #record(
    method: string,
    url: string,
    headers: [string, string][],
    mimeType: string,
    body: string,
    answer: ReturnType<typeof toResponse>,
  ): void {
    const list = (all: readonly (readonly [string, string])[]) =>
      all.map(([name, value]) => ({ name, value }));
    const start = Date.UTC(2026, 0, 2) + this.#entries.length * (DURATION + this.#gap);
    this.#entries.push({
      startedDateTime: new Date(start).toISOString(),
      time: DURATION,
      request: {
        method,
        url,
        headers: list(headers),
        ...(body && { postData: { mimeType, text: body } }),
      },
      response: {
        status: answer.status,
        headers: list(answer.headers),
        content: {
          mimeType: answer.headers.find(([name]) => name === "Content-Type")?.[1] ?? "x-unknown",
          size: answer.body.length,
          text: answer.body,
        },
      },
    });
  }

  /** Records a WebSocket with text messages. `type` is `send` or `receive`. */
  openSocket(path: string, messages: readonly { readonly type: string; readonly data: string }[]) {
    const url = new URL(path, this.#origin.replace(/^http/, "ws")).href;
    const headers: [string, string][] = [["Upgrade", "websocket"]];
    this.#record("GET", url, headers, "", "", { status: 101, headers: [], body: "" });
    const start = Date.UTC(2026, 0, 2) / 1_000 +
      (this.#entries.length - 1) * (DURATION + this.#gap) / 1_000;
    Object.assign(this.#entries.at(-1)!, {
      _resourceType: "websocket",
      _webSocketMessages: messages.map(({ type, data }, i) => ({
        type,
        data,
        opcode: 1,
        time: start + (i + 1) / 1_000,
      })),
    });
  }

  /** Returns the recorded calls as a HAR. */
  get har(): string {
    return JSON.stringify({
      log: { version: "1.2", creator: { name: "Model", version: "1" }, entries: this.#entries },
    });
  }

  /** Returns the recorded calls. */
  recording(): Promise<Recording> {
    return readHar([new TextEncoder().encode(this.har)], "model.har");
  }
}

/** A clock whose timers all fire immediately. */
const AT_ONCE: Clock = {
  now: () => performance.now(),
  close() {},
  at(_time: number, run: () => void) {
    queueMicrotask(run);
    return () => {};
  },
};

/** A sender that passes requests to an application in this process, and records them. */
export class ModelSender implements Sender {
  readonly sent: ModelRequest[] = [];
  readonly #app: ModelApp | undefined;
  readonly #socket: (() => SocketScript) | undefined;

  /**
   * Creates a sender. Without an application, every request is refused. `socket` is called for each
   * WebSocket; without it, no WebSocket is opened.
   */
  constructor(app: ModelApp | undefined, socket?: () => SocketScript) {
    this.#app = app;
    this.#socket = socket;
  }

  open(): HttpSession {
    const session: HttpSession = {
      send: (request, response, now = performance.now()) => {
        clearResponse(response, now);
        if (this.#app === undefined) {
          response.error = "refused";
          response.message = "connection refused";
          return Promise.resolve();
        }
        const sent = fromOutgoing(request);
        this.sent.push(sent);
        const found = this.#app(sent);
        if (found.fault !== undefined) {
          response.error = "reset";
          response.message = found.fault;
          return Promise.resolve();
        }
        const answer = toResponse(found);
        response.status = answer.status;
        response.headers = answer.headers.map(([name, value]) => [name.toLowerCase(), value]);
        const body = new TextEncoder().encode(answer.body);
        if (request.needs.body) response.body = body;
        response.bodySize = body.length;
        request.stream?.push(body, response);
        return Promise.resolve();
      },
      openSocket: (_request, response) => {
        clearResponse(response, performance.now());
        const script = this.#socket?.();
        if (script === undefined) {
          response.error = "upgrade";
          response.message = "the server did not open it";
          return Promise.resolve(undefined);
        }
        response.status = script.status ?? 101;
        response.headers = (script.headers ?? []).map(([name, value]) => [name, value]);
        if (response.status !== 101) {
          response.error = "upgrade";
          response.message =
            `the server did not open the WebSocket: status ${response.status} instead of 101`;
          return Promise.resolve(undefined);
        }
        return Promise.resolve(new FakeSocket(AT_ONCE, script));
      },
      branch: () => session,
      close() {},
    };
    return session;
  }

  close(): void {}
}

function fromOutgoing({ method, origin, target, headers, body }: Outgoing): ModelRequest {
  const url = new URL(target, `http${origin.secure ? "s" : ""}://${origin.authority}`);
  return toRequest(method, url, headers, body ? new TextDecoder().decode(body) : "");
}

/** Returns an application as a handler for `Deno.serve`. */
export function serveModel(app: ModelApp): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    const body = await request.text();
    const answer = toResponse(app(toRequest(request.method, url, [...request.headers], body)));
    const isNull = [204, 304].includes(answer.status);
    return new Response(isNull ? null : answer.body, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}
