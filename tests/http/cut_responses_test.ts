import { assertEquals } from "@std/assert";
import type { NetworkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { type HttpResponse, newResponse, type Outgoing } from "../../src/http/sender.ts";
import { disposable, testRequest } from "../support/http_client.ts";
import { tlsOptions } from "../support/http2_server.ts";
import { bytesOf } from "../support/parsed.ts";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  goaway,
  http2Requests,
  joined,
  reset,
  STATUS_103,
  STATUS_200,
  wholeResponse,
} from "../support/raw_http2.ts";
import { serverPair } from "../support/test_certificates.ts";
import { type Peer, wireServer } from "../support/wire_server.ts";

const HEAD = frame(FRAME.headers, END_HEADERS, 1, STATUS_200);
const DATA = frame(FRAME.data, 0, 1, bytesOf("data: 1\n\n"));
const LAST = frame(FRAME.data, END_STREAM, 1, bytesOf("data: 2\n\n"));
/** Header block with the field `x: 1`. */
const FIELD = Uint8Array.of(0, 1, ...bytesOf("x"), 1, ...bytesOf("1"));
const INTERIM = frame(FRAME.headers, END_HEADERS, 1, STATUS_103);
const trailers = (block: Uint8Array) => frame(FRAME.headers, END_HEADERS | END_STREAM, 1, block);

/**
 * What an HTTP/2 server sends in response to the first request, before it closes the connection,
 * and the status that the client reports, or 0 if the request fails.
 */
const STREAMS: Record<string, [status: number, ...frames: Uint8Array[]]> = {
  "a whole response": [200, HEAD, DATA, LAST],
  "trailers": [200, HEAD, DATA, trailers(FIELD)],
  "an interim response before the final one": [200, INTERIM, HEAD, DATA, LAST],
  "a reset after the end of the stream": [200, HEAD, DATA, LAST, reset(1, 8)],
  "a reset without an error after the end": [200, HEAD, DATA, LAST, reset(1, 0)],
  "a GOAWAY after the end": [200, HEAD, DATA, LAST, goaway(1)],
  "a closed connection before the head": [0],
  "a closed connection after the head": [0, HEAD],
  "a closed connection after data": [0, HEAD, DATA],
  "a GOAWAY after data": [0, HEAD, DATA, goaway(1)],
  "a reset after the head": [0, HEAD, reset(1, 8)],
  "a reset after data": [0, HEAD, DATA, reset(1, 8)],
  "a reset after data because of an internal error": [0, HEAD, DATA, reset(1, 2)],
  "only an interim response": [0, INTERIM],
  "an interim response that ends the stream": [0, trailers(STATUS_103)],
  "a second head": [0, HEAD, DATA, HEAD, LAST],
  "a status in trailers": [0, HEAD, DATA, trailers(STATUS_200)],
  "data before the head": [0, DATA, HEAD, LAST],
};

for (const [name, [status, ...frames]] of Object.entries(STREAMS)) {
  for (const kind of ["response", "event stream"] as const) {
    Deno.test(`cut: HTTP/2, ${name} (${kind})`, async () => {
      const events = kind === "event stream" ? { stream: { push: () => false } } : {};
      const response = await exchange(answerHttp2(joined(...frames)), { version: "http2" }, events);
      assertEquals(response.error === undefined ? response.status : 0, status, response.message);
    });
  }
}

/** Responses over HTTP/1.1, and whether the end of the connection is the end of the body. */
const RESPONSES: Record<string, [text: string, isEndedByClose?: true]> = {
  "a response with a length": ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n012345678"],
  "a response without a body": ["HTTP/1.1 204 OK\r\n\r\n"],
  "a chunked response": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n",
  ],
  "interim responses": [
    "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
  ],
  "a response until the end of the connection": ["HTTP/1.1 200 OK\r\n\r\nabc", true],
};

for (const tls of ["", "TLS", "TLS over Node's sockets"]) {
  for (const [name, [text, isEndedByClose]] of Object.entries(RESPONSES)) {
    Deno.test(`cut: HTTP/1.1 ${tls}, ${name} is never a success if a byte is missing`, async () => {
      const bytes = bytesOf(text);
      const wholeHead = text.indexOf("\r\n\r\n") + 4;
      await forEachCut(bytes, answerHttp1, {
        version: "http1",
        tls,
        isSuccess: (size) => isEndedByClose ? size >= wholeHead : size === bytes.length,
      });
    });
  }
}

// Deno's Node sockets do not report a missing `close_notify`.
Deno.test("cut: HTTP/1.1 over TLS, the end of the connection without `close_notify` is not the end of the body", async () => {
  for (const isCut of [false, true]) {
    const { promise: received, resolve } = Promise.withResolvers<void>();
    await using server = wireServer(async (peer) => {
      await peer.head();
      await peer.write("HTTP/1.1 200 OK\r\n\r\nabc");
      if (isCut) await received;
    }, serverPair());
    await using relay = wireServer(async (peer) => {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      await Promise.race([peer.forwardTo(conn), isCut ? received : new Promise(() => {})]);
      conn.close();
    });
    using sender = disposable(networkSender(tlsOptions({ version: "http1" })));
    const response = newResponse();
    const stream = { push: (bytes: Uint8Array) => (bytes.at(-1) === 99 && resolve(), false) };
    const url = `https://127.0.0.1:${relay.port}/`;
    await sender.open().send(testRequest(url, { stream }), response);
    assertEquals(response.error, isCut ? "closed" : undefined, response.message);
  }
});

for (const tls of ["", "TLS", "TLS over Node's sockets"]) {
  Deno.test(`cut: HTTP/2 ${tls}, a response is never a success if a byte is missing`, async () => {
    const bytes = joined(INTERIM, wholeResponse(1, "hello"));
    await forEachCut(bytes, answerHttp2, {
      version: "http2",
      tls,
      isSuccess: (size) => size === bytes.length,
    });
  });
}

interface Cuts {
  readonly version: NetworkOptions["version"];
  /** Empty for plain TCP. */
  readonly tls: string;
  /** Reports whether the first `size` bytes of the response, and a closed connection, suffice. */
  isSuccess(size: number): boolean;
}

async function forEachCut(
  bytes: Uint8Array,
  answer: (bytes: Uint8Array) => (peer: Peer) => Promise<void>,
  { version, tls, isSuccess }: Cuts,
): Promise<void> {
  for (let size = 0; size <= bytes.length; size++) {
    const part = bytes.subarray(0, size);
    const { error, message } = await exchange(answer(part), { version, tls });
    assertEquals(error === undefined, isSuccess(size), `${size} of ${bytes.length}: ${message}`);
  }
}

function answerHttp1(bytes: Uint8Array): (peer: Peer) => Promise<void> {
  return async (peer) => {
    await peer.head();
    await peer.write(bytes);
  };
}

function answerHttp2(bytes: Uint8Array): (peer: Peer) => Promise<void> {
  return async (peer) => {
    for await (const _stream of http2Requests(peer)) {
      await peer.write(bytes);
      // The client's acknowledgment must not reset the connection before it has read everything.
      await Promise.race([peer.body(9), new Promise((resolve) => setTimeout(resolve, 5))]);
      return;
    }
  };
}

/** Sends a POST request to a server that runs `script`, and returns the response. */
async function exchange(
  script: (peer: Peer) => Promise<void>,
  { version, tls = "" }: Partial<Cuts>,
  changes: Partial<Outgoing> = {},
): Promise<HttpResponse> {
  const pair = { ...serverPair(), alpnProtocols: [version === "http2" ? "h2" : "http/1.1"] };
  await using server = wireServer(script, tls === "" ? undefined : pair);
  const options = tlsOptions({ version });
  const insecureSkipVerify = tls.includes("Node");
  using sender = disposable(
    networkSender({ ...options, tls: { ...options.tls, insecureSkipVerify } }),
  );
  const response = newResponse();
  const url = `http${tls === "" ? "" : "s"}://127.0.0.1:${server.port}/`;
  await sender.open().send(testRequest(url, { method: "POST", ...changes }), response);
  return response;
}
