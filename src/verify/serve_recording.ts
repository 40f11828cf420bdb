import { InputError } from "../base/errors.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { readSession } from "./recorded_session.ts";
import { Observations } from "./observations.ts";
import { relocated } from "./relocated.ts";
import { MockServer } from "./mock_server.ts";

/** The stand-in for a recorded server, at work. */
export interface RecordingServer {
  /** Such as `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** The recorded origin that it stands in for. */
  readonly standsFor: string;
  /** What was asked of it so far. */
  readonly seen: Observations;
  /** Ends at once; requests in flight are cut off. */
  stop(): Promise<void>;
}

/** Names a visitor in later requests; the recorded cookies may be anything. */
const VISITOR = "rehearse_visitor";
const VISITOR_COOKIE = new RegExp(`(?:^|;\\s*)${VISITOR}=([^;]*)`);

/**
 * Serves a recording at 127.0.0.1: recorded answers, with fresh values for each visitor. A visitor is
 * known by a cookie, and one that keeps none by its connection. Throws InputError when the recording
 * (which the user calls `source`) holds no call, and `Deno.errors.AddrInUse`.
 */
export function serveRecording(
  recording: Recording,
  port: number,
  source: string,
): RecordingServer {
  const journey = readSession(recording);
  if (journey === undefined) {
    throw new InputError("cannot serve the HAR: it holds no call", { source });
  }
  const standIn = new MockServer(journey, 1);
  const seen = new Observations();
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
    const exchanged = standIn.exchange(arrived, visitor);
    seen.observe(arrived, exchanged);
    const to = new URL(request.url).origin;
    const response = relocated(exchanged.answer, journey!.origin, to, request.method);
    if (known === undefined) response.headers.append("set-cookie", `${VISITOR}=${visitor}; Path=/`);
    return response;
  }

  const { signal } = stopping;
  const server = Deno.serve({ hostname: "127.0.0.1", port, signal, onListen: () => {} }, handle);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    standsFor: journey.origin,
    seen,
    stop: () => {
      stopping.abort();
      return server.finished;
    },
  };
}
