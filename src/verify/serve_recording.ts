import { readBody } from "../base/bytes/byte_source.ts";
import { InputError } from "../base/errors.ts";
import { isTrustedHost } from "../base/host_header.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { readSession } from "./session/recorded_session.ts";
import type { Observations } from "./result/observations.ts";
import { relocated } from "./mock/relocated.ts";
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

/** Maximum size of a request body in bytes. */
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
