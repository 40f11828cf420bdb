import { assert, assertEquals } from "@std/assert";
import { networkSender } from "../../../src/engine/http/network_sender.ts";
import { newResponse } from "../../../src/engine/http/new_response.ts";
import type { HttpResponse } from "../../../src/engine/sender.ts";
import { disposable, sendOnce, testOptions, testRequest } from "../../support/http_client.ts";
import { type Peer, type WireServer, wireServer } from "../../support/wire_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Answers `count` requests of each connection. */
function answering(count: number): (peer: Peer) => Promise<void> {
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

Deno.test("session: one connection serves request after request", async () => {
  await using server = wireServer(answering(Infinity));
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const request = testRequest(url(server));
  const reply = newResponse();
  for (let i = 0; i < 5; i++) {
    await session.send(request, reply);
    assertEquals([reply.status, reply.error, reply.bodySize], [200, undefined, 2]);
    assertEquals(reply.connectingMs > 0, i === 0);
  }
  assertEquals(server.accepted, 1);
});

Deno.test("session: it starts when it is told the time to be", async () => {
  await using server = wireServer(answering(Infinity));
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const request = testRequest(url(server));
  const reply = newResponse();
  await session.send(request, reply);
  const now = performance.now();
  await session.send(request, reply, now - 1);
  const elapsed = performance.now() - now;
  assertEquals([reply.startedAt, reply.blockedMs], [now - 1, 0]);
  assert(reply.sendingMs >= 1);
  assert(reply.sendingMs + reply.waitingMs + reply.receivingMs <= 1 + elapsed);
});

Deno.test("session: each session has a connection of its own", async () => {
  await using server = wireServer(answering(Infinity));
  using sender = disposable(networkSender(testOptions()));
  const request = testRequest(url(server));
  await Promise.all([1, 2, 3].map(() => sender.open().send(request, newResponse())));
  assertEquals(server.accepted, 3);
});

Deno.test("session: without keep-alive each request has a connection of its own", async () => {
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

Deno.test("session: a connection that went stale is replaced, for idempotent requests", async () => {
  await using server = wireServer(answering(1));
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST", "PATCH"]) {
    using sender = disposable(networkSender(testOptions()));
    const session = sender.open();
    const reply = newResponse();
    await session.send(testRequest(url(server)), reply);
    await session.send(testRequest(url(server), { method }), reply);
    const isIdempotent = method !== "POST" && method !== "PATCH";
    if (isIdempotent) assertEquals(reply.error, undefined, `${method}: ${reply.message}`);
    else assert(reply.error === "closed" || reply.error === "reset", method);
  }
});

Deno.test("session: a fresh connection that fails is not tried again", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index === 0) return answering(1)(peer);
    await peer.head();
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const reply = newResponse();
  await session.send(testRequest(url(server)), reply);
  await session.send(testRequest(url(server)), reply);
  assertEquals(reply.error, "closed");
  assertEquals(server.accepted, 2);
});

Deno.test("session: after a fault the next request connects anew", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index > 0) return answering(1)(peer);
    await peer.head();
    await peer.write("nonsense\r\n");
    await peer.untilClosed();
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const reply = newResponse();
  await session.send(testRequest(url(server)), reply);
  assertEquals(reply.error, "protocol");
  await session.send(testRequest(url(server)), reply);
  assertEquals([reply.error, reply.status], [undefined, 200]);
});

Deno.test("session: close cancels what is in flight, and the session can be used again", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    if (peer.index > 0) return answering(1)(peer);
    await peer.head();
    ask();
    await peer.untilClosed();
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const reply = newResponse();
  const sending = session.send(testRequest(url(server)), reply);
  await asked;
  session.close();
  await sending;
  assertEquals(reply.error, "cancelled");
  await session.send(testRequest(url(server)), reply);
  assertEquals(reply.status, 200);
});

Deno.test("session: close cancels before the connection is there, too", async () => {
  await using server = wireServer(answering(1));
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const reply = newResponse();
  const sending = session.send(testRequest(url(server)), reply);
  session.close();
  await sending;
  assertEquals(reply.error, "cancelled");
});

Deno.test("session: a large request and a large answer may cross", async () => {
  const size = 4 * 1024 * 1024;
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
    for (let at = 0; at < size; at += 65_536) await peer.write(await peer.body(65_536));
  });
  const body = new Uint8Array(size).map((_, i) => i * 7 + (i >> 10));
  const reply = await sendOnce(testRequest(url(server), { method: "POST", body }));
  assertEquals(reply.error, undefined, reply.message);
  assertEquals(reply.bodySize, size);
  assert(reply.body.every((byte, i) => byte === body[i]));
  assert(reply.bytesSent > size);
});

Deno.test("session: an answer that comes before a large request is sent ends the exchange", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    if (peer.index > 0) return;
    await peer.untilClosed();
  });
  const body = new Uint8Array(16 * 1024 * 1024);
  const reply = await sendOnce(testRequest(url(server), { method: "POST", body }));
  assertEquals([reply.status, reply.error], [413, undefined], reply.message);
});

Deno.test("session: the parts of the time make up the whole", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write(OK.slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await peer.write(OK.slice(20));
    await peer.untilClosed();
  });
  const before = performance.now();
  const reply = await sendOnce(testRequest(url(server)));
  const elapsed = performance.now() - before;
  assert(reply.startedAt >= before);
  assert(reply.receivingMs >= 3, `${reply.receivingMs}`);
  assert(total(reply) <= elapsed, `${total(reply)} of ${elapsed}`);
  assertEquals(reply.bytesReceived, OK.length);
});

function total(reply: HttpResponse): number {
  const { blockedMs, connectingMs, tlsMs, sendingMs, waitingMs, receivingMs } = reply;
  return blockedMs + connectingMs + tlsMs + sendingMs + waitingMs + receivingMs;
}

Deno.test("session: a host can be connected to at another address", async () => {
  const heads: string[] = [];
  await using server = wireServer(async (peer) => {
    heads.push(await peer.head());
    await peer.write(OK);
  });
  const hosts = { "shop.invalid": `127.0.0.1:${server.port}`, "b.invalid:81": "127.0.0.1" };
  const reply = await sendOnce(testRequest("http://shop.invalid/x"), testOptions({ hosts }));
  assertEquals([reply.status, reply.error], [200, undefined], reply.message);
  assertEquals(heads, ["GET /x HTTP/1.1\r\nHost: shop.invalid\r\n\r\n"]);
});
