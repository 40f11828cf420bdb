import { assert, assertEquals } from "@std/assert";
import { networkSender } from "../../src/http/network_session.ts";
import { type HttpResponse, newResponse } from "../../src/http/sender.ts";
import { disposable, sendOnce, testOptions, testRequest } from "../support/http_client.ts";
import { tlsOptions } from "../support/http2_server.ts";
import { serverPair } from "../support/test_certificates.ts";
import { type Peer, type WireServer, wireServer } from "../support/wire_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Returns a script that responds to `count` requests on a connection. */
function respondTimes(count: number): (peer: Peer) => Promise<void> {
  return async (peer) => {
    for (let i = 0; i < count; i++) {
      const head = await peer.head();
      if (head === "") return;
      await peer.write(head.startsWith("HEAD") ? OK.slice(0, -2) : OK);
    }
  };
}

function url(server: WireServer): string {
  return `http://127.0.0.1:${server.port}/`;
}

Deno.test("session: reuses one connection for sequential requests", async () => {
  await using server = wireServer(respondTimes(Infinity));
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const request = testRequest(url(server));
  const response = newResponse();
  for (let i = 0; i < 5; i++) {
    await session.send(request, response);
    assertEquals([response.status, response.error, response.bodySize], [200, undefined, 2]);
    assertEquals(response.connectingMs > 0, i === 0);
  }
  assertEquals(server.accepted, 1);
});

Deno.test("session: uses the start time that the caller passes", async () => {
  await using server = wireServer(respondTimes(Infinity));
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const request = testRequest(url(server));
  const response = newResponse();
  await session.send(request, response);
  const now = performance.now();
  await session.send(request, response, now - 1);
  const elapsed = performance.now() - now;
  assertEquals([response.startedAt, response.blockedMs], [now - 1, 0]);
  assert(response.sendingMs >= 1);
  assert(response.sendingMs + response.waitingMs + response.receivingMs <= 1 + elapsed);
});

Deno.test("session: opens one connection per session", async () => {
  await using server = wireServer(respondTimes(Infinity));
  using sender = disposable(networkSender(testOptions()));
  const request = testRequest(url(server));
  await Promise.all([1, 2, 3].map(() => sender.open().send(request, newResponse())));
  assertEquals(server.accepted, 3);
});

Deno.test("session: opens one connection per request if keep-alive is off", async () => {
  const heads: string[] = [];
  await using server = wireServer(async (peer) => {
    heads.push(await peer.head());
    await peer.write(OK);
    await peer.untilClosed();
  });
  using sender = disposable(networkSender(testOptions({ keepAlive: false })));
  const session = sender.open();
  const request = testRequest(url(server));
  for (let i = 0; i < 2; i++) await session.send(request, newResponse());
  assertEquals(server.accepted, 2);
  assert(heads.every((head) => head.endsWith("Connection: close\r\n\r\n")));
});

/** What a server does on a connection after its first response, before the next request. */
const IDLE_EVENTS: Record<string, (peer: Peer) => Promise<void> | void> = {
  "a closed connection": (peer) => peer.close(),
  "a stray 408": (peer) => peer.write("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"),
  "a second response": (peer) => peer.write(OK),
  "a stray byte": (peer) => peer.write("\n"),
};

for (const [name, event] of Object.entries(IDLE_EVENTS)) {
  for (const kind of ["plain", "tls", "node"] as const) {
    Deno.test(`session: does not send a POST on a connection with ${name} (${kind})`, async () => {
      const peers: Peer[] = [];
      await using server = wireServer(async (peer) => {
        peers.push(peer);
        while (await peer.head() !== "") {
          if (peer.index === 1) await event(peers[0]);
          await peer.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${peer.index}`);
        }
      }, kind === "plain" ? undefined : serverPair());
      const options = tlsOptions({ version: "http1" });
      const tls = { ...options.tls, insecureSkipVerify: kind === "node" };
      using sender = disposable(networkSender({ ...options, tls }));
      const session = sender.open();
      const url = `http${kind === "plain" ? "" : "s"}://127.0.0.1:${server.port}/`;
      const post = async () => {
        const response = newResponse();
        await session.send(testRequest(url, { method: "POST" }), response);
        assertEquals([response.error, response.status], [undefined, 200], response.message);
        return Number(new TextDecoder().decode(response.body));
      };
      assertEquals(await post(), 0);
      // The event arrives before the response on the second connection.
      await sender.open().send(testRequest(url), newResponse());
      assertEquals([await post(), await post()], [2, 2]);
    });
  }
}

Deno.test("session: replaces a stale connection for idempotent requests", async () => {
  await using server = wireServer(async (peer) => {
    const head = await peer.head();
    await peer.write(head.startsWith("HEAD") ? OK.slice(0, -2) : OK);
    await peer.head();
  });
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST", "PATCH"]) {
    using sender = disposable(networkSender(testOptions()));
    const session = sender.open();
    const response = newResponse();
    await session.send(testRequest(url(server)), response);
    await session.send(testRequest(url(server), { method }), response);
    const isIdempotent = method !== "POST" && method !== "PATCH";
    if (isIdempotent) assertEquals(response.error, undefined, `${method}: ${response.message}`);
    else assert(response.error === "closed" || response.error === "reset", method);
  }
});

Deno.test("session: does not retry a request that failed on a fresh connection", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index === 0) return respondTimes(1)(peer);
    await peer.head();
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const response = newResponse();
  await session.send(testRequest(url(server)), response);
  await session.send(testRequest(url(server)), response);
  assertEquals(response.error, "closed");
  assertEquals(server.accepted, 2);
});

Deno.test("session: reconnects after a fault", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index > 0) return respondTimes(1)(peer);
    await peer.head();
    await peer.write("nonsense\r\n");
    await peer.untilClosed();
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const response = newResponse();
  await session.send(testRequest(url(server)), response);
  assertEquals(response.error, "protocol");
  await session.send(testRequest(url(server)), response);
  assertEquals([response.error, response.status], [undefined, 200]);
});

Deno.test("session: can be used again after `close`, which cancels the request in progress", async () => {
  const { promise: received, resolve: receive } = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    if (peer.index > 0) return respondTimes(1)(peer);
    await peer.head();
    receive();
    await peer.untilClosed();
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const response = newResponse();
  const sending = session.send(testRequest(url(server)), response);
  await received;
  session.close();
  await sending;
  assertEquals(response.error, "cancelled");
  await session.send(testRequest(url(server)), response);
  assertEquals(response.status, 200);
});

Deno.test("session: `close` cancels a request that is still connecting", async () => {
  await using server = wireServer(respondTimes(1));
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const response = newResponse();
  const sending = session.send(testRequest(url(server)), response);
  session.close();
  await sending;
  assertEquals(response.error, "cancelled");
});

Deno.test("session: sends a large request while it receives a large response", async () => {
  const size = 4 * 1024 * 1024;
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
    for (let at = 0; at < size; at += 65_536) await peer.write(await peer.body(65_536));
  });
  const body = new Uint8Array(size).map((_, i) => i * 7 + (i >> 10));
  const response = await sendOnce(testRequest(url(server), { method: "POST", body }));
  assertEquals(response.error, undefined, response.message);
  assertEquals(response.bodySize, size);
  assert(response.body.every((byte, i) => byte === body[i]));
  assert(response.bytesSent > size);
});

Deno.test("session: ends the exchange if the response arrives before a large request is fully sent", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    if (peer.index > 0) return;
    await peer.untilClosed();
  });
  const body = new Uint8Array(16 * 1024 * 1024);
  const response = await sendOnce(testRequest(url(server), { method: "POST", body }));
  assertEquals([response.status, response.error], [413, undefined], response.message);
});

Deno.test("session: the reported phases add up to at most the total duration", async () => {
  await using server = wireServer(respondTimes(1));
  const before = performance.now();
  const response = await sendOnce(testRequest(url(server)));
  const elapsed = performance.now() - before;
  assert(response.startedAt >= before);
  assert(total(response) > 0 && total(response) <= elapsed, `${total(response)} of ${elapsed}`);
  assertEquals(response.bytesReceived, OK.length);
});

function total(response: HttpResponse): number {
  const { blockedMs, connectingMs, tlsMs, sendingMs, waitingMs, receivingMs } = response;
  return blockedMs + connectingMs + tlsMs + sendingMs + waitingMs + receivingMs;
}

Deno.test("session: connects to the address set in `hosts`", async () => {
  const heads: string[] = [];
  await using server = wireServer(async (peer) => {
    heads.push(await peer.head());
    await peer.write(OK);
  });
  const hosts = { "shop.invalid": `127.0.0.1:${server.port}`, "b.invalid:81": "127.0.0.1" };
  const response = await sendOnce(testRequest("http://shop.invalid/x"), testOptions({ hosts }));
  assertEquals([response.status, response.error], [200, undefined], response.message);
  assertEquals(heads, ["GET /x HTTP/1.1\r\nHost: shop.invalid\r\n\r\n"]);
});
