import { assertEquals } from "@std/assert";
import type { NetworkOptions } from "../../src/http/network_options.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { openClient } from "../support/http_client.ts";
import { tlsOptions } from "../support/http2_server.ts";
import { bytesOf } from "../support/parsed.ts";
import { head, http2Requests, joined, STATUS_103, wholeResponse } from "../support/raw_http2.ts";
import { serverPair } from "../support/test_certificates.ts";
import { type Peer, wireServer } from "../support/wire_server.ts";

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
    using client = openClient(tlsOptions({ version: "http1" }));
    const stream = { push: (bytes: Uint8Array) => (bytes.at(-1) === 99 && resolve(), false) };
    const response = await client.send(`https://127.0.0.1:${relay.port}/`, { stream });
    assertEquals(response.error, isCut ? "closed" : undefined, response.message);
  }
});

for (const tls of ["", "TLS", "TLS over Node's sockets"]) {
  Deno.test(`cut: HTTP/2 ${tls}, a response is never a success if a byte is missing`, async () => {
    const bytes = joined(head(STATUS_103), wholeResponse(1, "hello"));
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
): Promise<HttpResponse> {
  const pair = { ...serverPair(), alpnProtocols: [version === "http2" ? "h2" : "http/1.1"] };
  await using server = wireServer(script, tls === "" ? undefined : pair);
  const options = tlsOptions({ version });
  const insecureSkipVerify = tls.includes("Node");
  using client = openClient({ ...options, tls: { ...options.tls, insecureSkipVerify } });
  return await client.send(server.url, { method: "POST" });
}
