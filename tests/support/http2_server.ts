import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { NetworkOptions } from "../../src/http/network_options.ts";
import { testOptions } from "./http_client.ts";
import { pem, serverPair } from "./test_certificates.ts";

/** Responds to a request over HTTP/2. */
export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** An HTTP/2 server on 127.0.0.1. */
export interface Http2Server extends AsyncDisposable {
  readonly port: number;
  /** URL of the path `/`. */
  readonly url: string;
  /** Number of accepted TCP connections. */
  readonly accepted: number;
  /** Number of HTTP/2 sessions that received a request. */
  readonly used: number;
  readonly sessions: ServerHttp2Session[];
}

/** Starts an HTTP/2 server on a free port. With TLS, the server also supports HTTP/1.1. */
export async function http2Server(secure: boolean, handler: Handler): Promise<Http2Server> {
  const used = new Set<unknown>();
  const counting: Handler = (request, response) => {
    used.add(request.stream.session);
    handler(request, response);
  };
  const server = secure
    ? createSecureServer({ ...serverPair(), allowHTTP1: true }, counting)
    : createServer(counting);
  const sessions: ServerHttp2Session[] = [];
  let accepted = 0;
  server.on("connection", () => accepted++);
  server.on("session", (session) => {
    sessions.push(session);
    session.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    url: `http${secure ? "s" : ""}://127.0.0.1:${port}/`,
    get accepted() {
      return accepted;
    },
    get used() {
      return used.size;
    },
    sessions,
    [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Returns network options, overridden by `changes`, that trust the certificate of the test servers.
 */
export function tlsOptions(changes: Partial<NetworkOptions> = {}): NetworkOptions {
  const base = testOptions(changes);
  return { ...base, tls: { ...base.tls, ca: pem("ca.pem") } };
}
