import { readBody } from "../base/bytes/byte_source.ts";
import { InputError } from "../base/errors.ts";
import { isTrustedHost } from "../base/host_header.ts";
import { utf8Text } from "../base/utf8.ts";
import type { Recording } from "../traffic/har/recording.ts";
import type { MockResponse } from "./mock_response.ts";
import type { Observations } from "./comparison.ts";
import { readSession } from "./recorded_session.ts";
import { VerifyingServer } from "./verifying_server.ts";

/** A running HTTP server that replays a recording. */
export interface RecordingServer {
  /** Origin of the server, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
  /**
   * Origin in the recording that `convert` uses as the base URL. The server's responses contain
   * `origin` instead of this origin.
   */
  readonly recordedOrigin: string;
  /** Results of comparing the requests received so far with the recorded calls. */
  readonly seen: Observations;
  /** Stops the server immediately and aborts running requests. */
  stop(): Promise<void>;
}

const MAX_BODY = 128 * 1024 * 1024;
/**
 * Name of the cookie that identifies a visitor. Recordings do not contain cookies with this name.
 */
const VISITOR = "rehearse_visitor";
const VISITOR_COOKIE = new RegExp(`(?:^|;\\s*)${VISITOR}=([^;]*)`);

/**
 * Starts a server on 127.0.0.1 that sends the recorded responses, with fresh values for each
 * visitor. Identifies a visitor by a cookie, or by the connection if the visitor sends no cookies.
 * `source` is the name of the recording in error messages. Throws InputError if the recording has
 * no calls, and `Deno.errors.AddrInUse` if the port is in use.
 */
export function serveRecording(
  recording: Recording,
  port: number,
  source: string,
): RecordingServer {
  const session = readSession(recording);
  if (session === undefined) {
    throw new InputError("cannot serve the HAR: it contains no calls", { source });
  }
  const verifying = new VerifyingServer(session, { seed: 1, planned: [], kept: new Set() });
  const stopping = new AbortController();

  const { hostname } = new URL(session.origin);

  async function handle(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) {
    if (!isTrustedHost(request.headers.get("host"), hostname)) {
      return new Response("the Host header contains an unknown name\n", { status: 421 });
    }
    const body = await readBody(request, MAX_BODY);
    if (body === undefined) return new Response("the body is too large\n", { status: 413 });
    const [, known] = VISITOR_COOKIE.exec(request.headers.get("cookie") ?? "") ?? [];
    const visitor = known ?? `${info.remoteAddr.hostname}-${info.remoteAddr.port}`;
    const arrived = {
      method: request.method,
      url: request.url,
      headers: [...request.headers].map(([name, value]) => ({ name, value })),
      body,
    };
    const { response: recorded } = verifying.exchange(arrived, visitor);
    const to = new URL(request.url).origin;
    const response = relocated(recorded, session!.origin, to, request.method);
    if (known === undefined) response.headers.append("set-cookie", `${VISITOR}=${visitor}; Path=/`);
    return response;
  }

  const { signal } = stopping;
  const server = Deno.serve({ hostname: "127.0.0.1", port, signal, onListen: () => {} }, handle);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    recordedOrigin: session.origin,
    seen: verifying.seen,
    stop: () => {
      stopping.abort();
      return server.finished;
    },
  };
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function relocated(
  { status, headers, body }: MockResponse,
  from: string,
  to: string,
  method: string,
): Response {
  const isStatus = status >= 200 && status <= 599;
  const response = new Response(
    method === "HEAD" || NO_BODY.has(status) ? null : movedBody(body, from, to),
    { status: isStatus ? status : 200 },
  );
  for (const [name, value] of headers) {
    const moved = name === "set-cookie" ? forAnyHost(value) : movedText(value, from, to);
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) response.headers.append(name, fieldValue(moved));
  }
  return response;
}

function forAnyHost(cookie: string): string {
  return cookie.replace(/;\s*(?:domain=[^;]*|secure|samesite=none)(?=;|$)/gi, "");
}

function movedText(text: string, from: string, to: string): string {
  const forms = [
    (url: string) => url,
    encodeURIComponent,
    (url: string) => url.replaceAll("/", "\\/"),
  ];
  return forms.reduce((moved, form) => moved.replaceAll(form(from), form(to)), text);
}

function movedBody(body: Uint8Array, from: string, to: string): BodyInit {
  const text = utf8Text(body);
  return text === undefined
    ? new Uint8Array(body)
    : new TextEncoder().encode(movedText(text, from, to));
}

/**
 * Encodes a header value as UTF-8 with one character per byte, because `Headers` accepts only such
 * strings.
 */
function fieldValue(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/[\0\r\n]/g, " "));
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
