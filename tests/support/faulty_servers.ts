import type { ErrorKind } from "../../src/http/sender.ts";
import { bytesOf } from "./parsed.ts";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  goaway,
  http2Requests,
  joined,
  reset,
  STATUS_200,
} from "./raw_http2.ts";
import type { Peer } from "./wire_server.ts";

/**
 * Server that misbehaves. Clients send `POST /0` and then `POST /1`. The body of a correct response
 * is the path.
 */
export interface FaultyServer {
  readonly version: "http1" | "http2";
  /**
   * Result of each request that rehearse must report: `ok`, the kind of the error, or `failed` for
   * any kind.
   */
  readonly results: readonly [Result, Result];
  readonly script: (peer: Peer) => Promise<void>;
}

/** Result of a request. */
type Result = "ok" | "failed" | ErrorKind;

/** Returns a whole response over HTTP/1.1. */
const whole = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
/** The time in ms after which a server that closes idle connections closes them. */
const IDLE_MS = 20;

/**
 * Waits longer than a server waits before it closes an idle connection. The event loop turns
 * several times after that, even if the machine is busy.
 */
export async function pauseBetweenRequests(): Promise<void> {
  for (let i = 0; i < 12; i++) await idle(5);
}

/** Responds to the requests of a connection with `respond`, which returns false to close it. */
function http1(
  results: FaultyServer["results"],
  respond: (peer: Peer, path: string) => Promise<boolean | void>,
): FaultyServer {
  return {
    version: "http1",
    results,
    async script(peer) {
      for (;;) {
        const head = await peer.head();
        const [, path] = /^POST (\S+)/.exec(head) ?? [];
        if (path === undefined || await respond(peer, path) === false) return;
      }
    },
  };
}

/** Writes `text` in response to the first request, then closes the connection. */
function cut(text: string): FaultyServer {
  return http1(["closed", "ok"], async (peer, path) => {
    await peer.write(path === "/0" ? text : whole(path));
    return path !== "/0";
  });
}

/** Responds to the first request with `text`, then sends `more` again and again. */
function endless(result: ErrorKind, text: string, more: string): FaultyServer {
  return http1([result, "ok"], async (peer, path) => {
    if (path === "/1") return await peer.write(whole(path));
    await peer.write(text);
    for (const bytes = bytesOf(more.repeat(1 + 60_000 / more.length));;) await peer.write(bytes);
  });
}

const idle = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Responds to the requests of an HTTP/2 server. `count` is the number of requests before this one.
 */
function http2(
  results: FaultyServer["results"],
  respond: (peer: Peer, stream: number, count: number) => Promise<boolean | void>,
): FaultyServer {
  let count = 0;
  return {
    version: "http2",
    results,
    async script(peer) {
      for await (const stream of http2Requests(peer)) {
        if (await respond(peer, stream, count++) === false) return;
      }
    },
  };
}

const head = (stream: number, flags = 0) =>
  frame(FRAME.headers, END_HEADERS | flags, stream, STATUS_200);
const data = (stream: number, body: string, flags = END_STREAM) =>
  frame(FRAME.data, flags, stream, bytesOf(body));
const whole2 = (stream: number, body: string) => joined(head(stream), data(stream, body));

/**
 * Sends `frames` in response to the first request, and the paths `rest` in response to the others.
 * Then closes the first connection if `closes` is true.
 */
function first(
  result: Result,
  frames: (stream: number) => Uint8Array[],
  { closes = false, rest = ["/1"] } = {},
): FaultyServer {
  return http2([result, "ok"], async (peer, stream, count) => {
    await peer.write(count === 0 ? joined(...frames(stream)) : whole2(stream, rest[count - 1]));
    return !closes || count > 0;
  });
}

/** Responds to the first request with `start`, then sends `bytes` again and again. */
function flood(
  result: Result,
  bytes: (stream: number) => Uint8Array,
  start: (stream: number) => Uint8Array = () => joined(),
): FaultyServer {
  return http2([result, "ok"], async (peer, stream, count) => {
    if (count > 0) return await peer.write(whole2(stream, "/1"));
    await peer.write(start(stream));
    const many = joined(...Array.from({ length: 1_000 }, () => bytes(stream)));
    for (let i = 0; i < 2_000; i++) await peer.write(many);
    return false;
  });
}

const CLOSES = { closes: true };

/** Returns a faulty server of each kind, by the name of the fault. */
export const faultyServers = (): Readonly<Record<string, FaultyServer>> => ({
  "cut: nothing": cut(""),
  "cut: in the head": cut("HTTP/1.1 200 OK\r\nContent-Le"),
  "cut: in the body": cut("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/"),
  "cut: in a chunk": cut("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n/"),
  "cut: before the last chunk": cut(
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n/0\r\n",
  ),
  "cut: after 103": cut("HTTP/1.1 103 Early Hints\r\n\r\n"),
  "cut: idle connection": http1(["ok", "ok"], async (peer, path) => {
    await peer.write(whole(path));
    await idle(IDLE_MS);
    return false;
  }),
  "refuse: stray 408 on an idle connection": http1(["ok", "ok"], async (peer, path) => {
    await peer.write(whole(path));
    await idle(IDLE_MS);
    await peer.write("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
  }),
  "flood: a second response on an idle connection": http1(["ok", "ok"], async (peer, path) => {
    await peer.write(whole(path));
    await idle(IDLE_MS);
    await peer.write(whole("no"));
  }),
  "stall: before the head": http1(["timeout", "ok"], async (peer, path) => {
    await (path === "/0" ? peer.untilClosed() : peer.write(whole(path)));
  }),
  "stall: in the body": http1(["timeout", "ok"], async (peer, path) => {
    if (path === "/1") return await peer.write(whole(path));
    await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/");
    await peer.untilClosed();
  }),
  "flood: headers": endless("too_large", "HTTP/1.1 200 OK\r\n", "X: y\r\n"),
  "flood: interim responses": endless("too_large", "", "HTTP/1.1 102 Processing\r\n\r\n"),
  "flood: a header without end": endless("too_large", "HTTP/1.1 200 OK\r\nX: ", "x"),
  "flood: trailers": endless(
    "too_large",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
    "X: y\r\n",
  ),
  "flood: a body without end": endless("too_large", "HTTP/1.1 200 OK\r\n\r\n", "x"),

  "h2 cut: after the head": first("failed", (id) => [head(id)], CLOSES),
  "h2 cut: in the body": first("failed", (id) => [head(id), data(id, "/", 0)], CLOSES),
  "h2 cut: GOAWAY in the body": first(
    "closed",
    (id) => [head(id), data(id, "/", 0), goaway(id)],
    CLOSES,
  ),
  "h2 reset: CANCEL in the body": first(
    "reset",
    (id) => [head(id), data(id, "/", 0), reset(id, 8)],
  ),
  "h2 reset: INTERNAL_ERROR in the body": first(
    "reset",
    (id) => [head(id), data(id, "/", 0), reset(id, 2)],
  ),
  "h2 reset: CANCEL after the end": first("ok", (id) => [whole2(id, "/0"), reset(id, 8)]),
  "h2 refuse: REFUSED_STREAM": first("ok", (id) => [reset(id, 7)], { rest: ["/0", "/1"] }),
  "h2 refuse: GOAWAY below the stream": first("ok", () => [goaway(0)], {
    closes: true,
    rest: ["/0", "/1"],
  }),
  "h2 refuse: every stream": http2(
    ["reset", "reset"],
    (peer, stream) => peer.write(reset(stream, 7)),
  ),
  "h2 stall: before the head": first("timeout", () => []),
  "h2 stall: in the body": first("timeout", (id) => [head(id), data(id, "/", 0)]),
  "h2 cut: idle connection": http2(["ok", "ok"], async (peer, stream, count) => {
    await peer.write(whole2(stream, `/${count}`));
    await idle(IDLE_MS);
    return false;
  }),
  "h2 cut: GOAWAY on an idle connection": http2(["ok", "ok"], async (peer, stream, count) => {
    await peer.write(whole2(stream, `/${count}`));
    await idle(IDLE_MS);
    await peer.write(goaway(stream));
    return false;
  }),
  "h2 flood: PING": flood("failed", () => frame(FRAME.ping, 0, 0, new Uint8Array(8))),
  "h2 flood: SETTINGS": flood("failed", () => frame(FRAME.settings, 0, 0)),
  "h2 flood: HEADERS": flood("failed", (id) => head(id)),
  "h2 flood: a body without end": flood(
    "too_large",
    (id) => data(id, "x".repeat(1_000), 0),
    head,
  ),
});
