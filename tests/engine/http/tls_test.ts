import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Socket } from "node:net";
import { createServer } from "node:tls";
import type { TlsOptions } from "../../../src/engine/http/network_options.ts";
import type { HttpResponse } from "../../../src/engine/sender.ts";
import { sendOnce, testOptions, testRequest } from "../../support/http_client.ts";
import { pem, serverPair } from "../../support/test_certificates.ts";
import { type Peer, type WireServer, wireServer } from "../../support/wire_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

async function answer(peer: Peer): Promise<void> {
  await peer.head();
  await peer.write(OK);
  await peer.untilClosed();
}

function send(server: { port: number }, tls: Partial<TlsOptions>, host = "127.0.0.1") {
  const options = testOptions();
  return sendOnce(
    testRequest(`https://${host}:${server.port}/`, { timeoutMs: 2_000 }),
    {
      ...options,
      version: "auto",
      hosts: { "wrong.invalid": "127.0.0.1" },
      tls: { ...options.tls, ...tls },
    },
  );
}

function assertAnswered(reply: HttpResponse): void {
  assertEquals([reply.status, reply.error, reply.bodySize], [200, undefined, 2], reply.message);
  assert(reply.tlsMs > 0 && reply.connectingMs > 0);
}

Deno.test("tls: an authority of one's own is trusted when it is named", async () => {
  await using server: WireServer = wireServer(answer, serverPair());
  assertAnswered(await send(server, { ca: pem("ca.pem") }));
  assertAnswered(await send(server, { ca: pem("ca.pem") }, "localhost"));
  const reply = await send(server, {});
  assertEquals(reply.error, "tls");
  assertMatch(reply.message!, /127\.0\.0\.1:\d+: .*UnknownIssuer/);
});

Deno.test("tls: the name must be the certificate's, unless another is asked for", async () => {
  await using server = wireServer(answer, serverPair());
  const ca = pem("ca.pem");
  assertEquals((await send(server, { ca }, "wrong.invalid")).error, "tls");
  assertAnswered(await send(server, { ca, serverName: "localhost" }, "wrong.invalid"));
});

Deno.test("tls: nothing is verified when that is asked for", async () => {
  await using server = wireServer(answer, serverPair());
  assertAnswered(await send(server, { insecureSkipVerify: true }, "wrong.invalid"));
});

Deno.test("tls: a server without TLS is `tls`", async () => {
  await using server = wireServer(async (peer) => {
    await peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    await peer.untilClosed();
  });
  assertEquals((await send(server, {})).error, "tls");
  assertEquals((await send(server, { insecureSkipVerify: true })).error, "tls");
});

Deno.test("tls: a server that goes away within the handshake is `tls`", async () => {
  await using server = wireServer(() => {});
  assertEquals((await send(server, {})).error, "tls");
  assertEquals((await send(server, { insecureSkipVerify: true })).error, "tls");
});

Deno.test("tls: a handshake that stops is `timeout`", async () => {
  await using server = wireServer((peer) => peer.untilClosed());
  for (const insecureSkipVerify of [false, true]) {
    const options = testOptions();
    const reply = await sendOnce(
      testRequest(`https://127.0.0.1:${server.port}/`, { timeoutMs: 60 }),
      { ...options, tls: { ...options.tls, insecureSkipVerify } },
    );
    assertEquals(reply.error, "timeout", reply.message);
  }
});

Deno.test("tls: a peer that ends without TLS's word for it has ended", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 200 OK\r\n\r\nok");
  }, serverPair());
  assertAnswered(await send(server, { ca: pem("ca.pem") }));
  assertAnswered(await send(server, { insecureSkipVerify: true }));
});

Deno.test("tls: a client certificate is shown", async () => {
  await using server = await serverAskingForCertificates();
  const ca = pem("ca.pem");
  assertAnswered(await send(server, { ca, cert: pem("client.pem"), key: pem("client.key") }));
  assertEquals((await send(server, { ca })).error, "tls");
});

async function serverAskingForCertificates(): Promise<{ port: number } & AsyncDisposable> {
  const sockets: Socket[] = [];
  const server = createServer({
    ...serverPair(),
    ca: pem("ca.pem"),
    requestCert: true,
    rejectUnauthorized: true,
  }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", () => socket.write(OK));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
