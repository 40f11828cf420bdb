import { InputError } from "../base/errors.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { readSession } from "./session/recorded_session.ts";
import type { Observations } from "./result/observations.ts";
import { relocated } from "./mock/relocated.ts";
import { VerifyingServer } from "./verifying_server.ts";

/** A running mock server of a recording. */
export interface RecordingServer {
  /** Own origin, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** Main origin of the recording. */
  readonly recordedOrigin: string;
  /** Observations so far. */
  readonly seen: Observations;
  /** Stops immediately and aborts running requests. */
  stop(): Promise<void>;
}

/** Cookie that identifies a visitor, with a name that recordings do not use. */
const VISITOR = "rehearse_visitor";
const VISITOR_COOKIE = new RegExp(`(?:^|;\\s*)${VISITOR}=([^;]*)`);

/**
 * Serves the recorded responses at 127.0.0.1, with fresh values for each visitor. A cookie identifies the
 * visitor, or its connection if it keeps no cookies. Throws InputError if the recording, named `source`
 * in messages, has no calls, and `Deno.errors.AddrInUse`.
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
  const verifying = new VerifyingServer(session, 1);
  const stopping = new AbortController();

  async function handle(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) {
    const [, known] = VISITOR_COOKIE.exec(request.headers.get("cookie") ?? "") ?? [];
    const visitor = known ?? `${info.remoteAddr.hostname}-${info.remoteAddr.port}`;
    const arrived = {
      method: request.method,
      url: request.url,
      headers: [...request.headers].map(([name, value]) => ({ name, value })),
      body: new Uint8Array(await request.arrayBuffer()),
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
