import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Socket } from "node:net";
import { createSecureServer } from "node:http2";
import { createServer } from "node:tls";
import { tlsFault } from "../../src/http/exchange_error.ts";
import type { NetworkOptions, TlsOptions } from "../../src/http/network_options.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { sendOnce, testOptions } from "../support/http_client.ts";
import { pem, serverPair } from "../support/test_certificates.ts";
import { OK, type Peer, type WireServer, wireServer } from "../support/wire_server.ts";

const VERSIONS = ["http1 http/1.1", "auto http/1.1", "auto h2", "http2 h2"];

async function respond(peer: Peer): Promise<void> {
  await peer.head();
  await peer.write(OK);
  await peer.untilClosed();
}

function send(
  server: { port: number },
  tls: Partial<TlsOptions>,
  host = "127.0.0.1",
  timeoutMs = 2_000,
) {
  const options = testOptions();
  return sendOnce(`https://${host}:${server.port}/`, { timeoutMs }, {
    ...options,
    version: "auto",
    hosts: { "wrong.invalid": "127.0.0.1" },
    tls: { ...options.tls, ...tls },
  });
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
  const hint = /127\.0\.0\.1:\d+: .*UnknownIssuer \(to trust the issuer, set `ca_file`/;
  assertMatch(response.message!, hint);
});

Deno.test("tls: `ca_file` may be the server's own certificate, in every HTTP version", async () => {
  const base = testOptions();
  for (const [version, alpn] of VERSIONS.map((pair) => pair.split(" "))) {
    const server = createSecureServer(
      { ...serverPair("self_signed"), allowHTTP1: alpn === "http/1.1", ALPNProtocols: [alpn] },
      (_, response) => response.end("ok"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const options = { ...base, version: version as NetworkOptions["version"] };
    const ask = (ca: string) =>
      sendOnce(`https://127.0.0.1:${port}/`, {}, { ...options, tls: { ...base.tls, ca } });
    assertOk(await ask(pem("self_signed.pem")));
    assertEquals((await ask(pem("ca.pem"))).error, "tls");
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("tls: verifies the host name, or `server_name` if set, unless `insecure_skip_verify` is set", async () => {
  await using server = wireServer(respond, serverPair());
  const ca = pem("ca.pem");
  const wrongName = await send(server, { ca }, "wrong.invalid");
  assertEquals(wrongName.error, "tls");
  assertMatch(wrongName.message!, / \(to accept any certificate, set `insecure_skip_verify: true`/);
  assert(!wrongName.message!.includes("ca_file"), wrongName.message);
  assertOk(await send(server, { ca, serverName: "localhost" }, "wrong.invalid"));
  assertOk(await send(server, { insecureSkipVerify: true }, "wrong.invalid"));
});

const SKIP = "(to accept any certificate, set `insecure_skip_verify: true` in " +
  "`defaults.http.tls` of the plan)";

/** Errors of a TLS handshake, and what the client reports. */
const HINTS: readonly [error: string, shown: string][] = [
  [
    "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
    `invalid peer certificate: CaUsedAsEndEntity ${SKIP}`,
  ],
  ["certificate has expired", `certificate has expired ${SKIP}`],
  ["received fatal alert: CertificateRequired", "received fatal alert: CertificateRequired"],
  ...[
    "received corrupt message of type InvalidContentType",
    "error:0A00010B:SSL routines::wrong version number",
  ].map((text): [string, string] => [
    text,
    `${text} (the server may speak plain HTTP: try http://)`,
  ]),
];

for (const [error, shown] of HINTS) {
  Deno.test(`tlsFault: shows "${error}" with a hint for its cause`, () => {
    const { message } = tlsFault(new Error(error), "shop.test:443");
    assertEquals(message, `cannot connect to shop.test:443: TLS handshake failed: ${shown}`);
  });
}

for (
  const [name, text] of [
    ["without TLS", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["that closes the connection during the handshake", ""],
  ]
) {
  Deno.test(`tls: reports a server ${name} as \`tls\``, async () => {
    await using server = wireServer(async (peer) => {
      await peer.write(text);
      if (text !== "") await peer.untilClosed();
    });
    assertEquals((await send(server, {})).error, "tls");
    assertEquals((await send(server, { insecureSkipVerify: true })).error, "tls");
  });
}

Deno.test("tls: reports a stalled handshake as `timeout`", async () => {
  await using server = wireServer((peer) => peer.untilClosed());
  for (const insecureSkipVerify of [false, true]) {
    const response = await send(server, { insecureSkipVerify }, "127.0.0.1", 60);
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
