import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Socket } from "node:net";
import { createSecureServer } from "node:http2";
import { createServer } from "node:tls";
import { tlsFault } from "../../src/http/exchange_error.ts";
import type { TlsOptions } from "../../src/http/network_options.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { sendOnce, testOptions, testRequest } from "../support/http_client.ts";
import { pem, serverPair } from "../support/test_certificates.ts";
import { type Peer, type WireServer, wireServer } from "../support/wire_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

const VERSIONS = [["http1", "http/1.1"], ["auto", "http/1.1"], ["auto", "h2"], [
  "http2",
  "h2",
]] as const;

async function respond(peer: Peer): Promise<void> {
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

function assertOk(response: HttpResponse): void {
  assertEquals(
    [response.status, response.error, response.bodySize],
    [200, undefined, 2],
    response.message,
  );
  assert(response.tlsMs > 0 && response.connectingMs > 0);
}

Deno.test("tls: trusts a custom certificate authority", async () => {
  await using server: WireServer = wireServer(respond, serverPair());
  assertOk(await send(server, { ca: pem("ca.pem") }));
  assertOk(await send(server, { ca: pem("ca.pem") }, "localhost"));
  const response = await send(server, {});
  assertEquals(response.error, "tls");
  assertMatch(response.message!, /127\.0\.0\.1:\d+: .*UnknownIssuer/);
});

Deno.test("tls: `ca_file` may be the server's own certificate, in every HTTP version", async () => {
  const base = testOptions();
  const tls = { ...base.tls, ca: pem("self_signed.pem") };
  for (const [version, alpn] of VERSIONS) {
    const server = createSecureServer(
      { ...serverPair("self_signed"), allowHTTP1: alpn === "http/1.1", ALPNProtocols: [alpn] },
      (_, response) => response.end("ok"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const request = testRequest(`https://127.0.0.1:${port}/`);
    const trusted = await sendOnce(request, { ...base, version, tls });
    assertOk(trusted);
    const other = { ...tls, ca: pem("ca.pem") };
    assertEquals((await sendOnce(request, { ...base, version, tls: other })).error, "tls");
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("tls: verifies the host name, or `server_name` if set", async () => {
  await using server = wireServer(respond, serverPair());
  const ca = pem("ca.pem");
  assertEquals((await send(server, { ca }, "wrong.invalid")).error, "tls");
  assertOk(await send(server, { ca, serverName: "localhost" }, "wrong.invalid"));
});

Deno.test("tls: shows how to accept a rejected certificate", async () => {
  await using server = wireServer(respond, serverPair());
  assertMatch(
    (await send(server, {})).message!,
    /UnknownIssuer \(to trust the issuer, set `ca_file`/,
  );
  const wrongName = (await send(server, { ca: pem("ca.pem") }, "wrong.invalid")).message!;
  assertMatch(wrongName, / \(to accept any certificate, set `insecure_skip_verify: true`/);
  assert(!wrongName.includes("ca_file"), wrongName);
});

Deno.test("tlsFault: shows the inner error of a wrapped one, and gives a hint only for its cause", () => {
  const message = (text: string) => tlsFault(new Error(text), "shop.test:443").message;
  assertEquals(
    message("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))"),
    "cannot connect to shop.test:443: TLS handshake failed: invalid peer certificate: " +
      "CaUsedAsEndEntity (to accept any certificate, set `insecure_skip_verify: true` in " +
      "`defaults.http.tls` of the plan)",
  );
  assertEquals(
    message("received fatal alert: CertificateRequired"),
    "cannot connect to shop.test:443: TLS handshake failed: received fatal alert: CertificateRequired",
  );
});

Deno.test("tls: skips verification with `insecure_skip_verify`", async () => {
  await using server = wireServer(respond, serverPair());
  assertOk(await send(server, { insecureSkipVerify: true }, "wrong.invalid"));
});

Deno.test("tls: reports a server without TLS as `tls`", async () => {
  await using server = wireServer(async (peer) => {
    await peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    await peer.untilClosed();
  });
  assertEquals((await send(server, {})).error, "tls");
  assertEquals((await send(server, { insecureSkipVerify: true })).error, "tls");
});

Deno.test("tls: reports a server that closes the connection during the handshake as `tls`", async () => {
  await using server = wireServer(() => {});
  assertEquals((await send(server, {})).error, "tls");
  assertEquals((await send(server, { insecureSkipVerify: true })).error, "tls");
});

Deno.test("tls: reports a stalled handshake as `timeout`", async () => {
  await using server = wireServer((peer) => peer.untilClosed());
  for (const insecureSkipVerify of [false, true]) {
    const options = testOptions();
    const response = await sendOnce(
      testRequest(`https://127.0.0.1:${server.port}/`, { timeoutMs: 60 }),
      { ...options, tls: { ...options.tls, insecureSkipVerify } },
    );
    assertEquals(response.error, "timeout", response.message);
  }
});

Deno.test("tls: accepts a connection that ends without `close_notify`", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 200 OK\r\n\r\nok");
  }, serverPair());
  assertOk(await send(server, { ca: pem("ca.pem") }));
  assertOk(await send(server, { insecureSkipVerify: true }));
});

Deno.test("tls: presents a client certificate", async () => {
  await using server = await serverRequiringCertificates();
  const ca = pem("ca.pem");
  assertOk(await send(server, { ca, cert: pem("client.pem"), key: pem("client.key") }));
  assertEquals((await send(server, { ca })).error, "tls");
});

async function serverRequiringCertificates(): Promise<{ port: number } & AsyncDisposable> {
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

Deno.test("the error for a TLS handshake with a plain HTTP server suggests http", () => {
  const hint = "(the server may speak plain HTTP: try http://)";
  const message = (text: string) => tlsFault(new Error(text), "a:80").message;
  assertStringIncludes(message("received corrupt message of type InvalidContentType"), hint);
  assertStringIncludes(message("error:0A00010B:SSL routines::wrong version number"), hint);
  assertEquals(message("certificate has expired").includes("try http://"), false);
});
