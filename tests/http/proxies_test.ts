import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { createSecureServer } from "node:http2";
import type { Socket } from "node:net";
import { createServer } from "node:tls";
import { InputError } from "../../src/base/errors.ts";
import { tlsFault } from "../../src/http/exchange_error.ts";
import {
  type NetworkOptions,
  proxyFor,
  readProxies,
  type TlsOptions,
} from "../../src/http/network_options.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { resolveUrl } from "../../src/http/url.ts";
import { openClient, sendOnce, testOptions } from "../support/http_client.ts";
import { ProxyServer } from "../support/proxy_server.ts";
import { pem, serverPair } from "../support/test_certificates.ts";
import {
  OK,
  type Peer,
  respondToAll,
  type WireServer,
  wireServer,
} from "../support/wire_server.ts";

const viaPlan = (url: string) => readProxies(url, () => undefined)!;

Deno.test("proxy: unencrypted requests are sent to the proxy with their full URL and the proxy's credentials", async () => {
  await using server = wireServer(respondToAll);
  await using proxy = new ProxyServer();
  const proxies = viaPlan(proxy.url.replace("//", "//joe:p%40ss@"));
  using client = openClient(testOptions({ proxies }));
  for (let i = 0; i < 2; i++) {
    const response = await client.send(`http://shop.test:${server.port}/cart?a=1`);
    assertEquals([response.status, response.bodySize, response.error], [200, 2, undefined]);
  }
  assertEquals(proxy.requests, [{
    line: `GET http://shop.test:${server.port}/cart?a=1 HTTP/1.1`,
    authorization: `Basic ${btoa("joe:p@ss")}`,
  }]);
});

const optionsVia = (url: string) => {
  const options = testOptions({ version: "auto", proxies: viaPlan(url) });
  return { ...options, tls: { ...options.tls, ca: pem("ca.pem") } };
};

Deno.test("proxy: TLS goes through a tunnel", async () => {
  await using server = wireServer(respondToAll, serverPair());
  await using proxy = new ProxyServer();
  const url = `https://localhost:${server.port}/`;
  const response = await sendOnce(url, {}, optionsVia(proxy.url));
  assertEquals([response.status, response.message], [200, undefined]);
  assertEquals(proxy.requests, [
    { line: `CONNECT localhost:${server.port} HTTP/1.1`, authorization: "" },
  ]);
});

Deno.test("proxy: closes the connection to a proxy that refuses a tunnel", async () => {
  const closed = Promise.withResolvers<void>();
  await using proxy = wireServer(async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    await peer.untilClosed();
    closed.resolve();
  });
  assertEquals(
    (await sendOnce("https://shop.test/", {}, optionsVia(proxy.url))).error,
    "connect",
  );
  await closed.promise;
});

Deno.test("proxy: reports a proxy that refuses a tunnel, is down, or is not an HTTP proxy", async () => {
  await using refusing = new ProxyServer("407 Proxy Authentication Required");
  await using other = wireServer(async (peer) => {
    await peer.head();
    await peer.write("SSH-2.0\r\n\r\n");
  });
  const down = "http://127.0.0.1:1";
  for (
    const [proxy, kind, message] of [
      [refusing.url, "connect", /the proxy did not connect to shop\.test: .*407 .*user name/],
      [down, "refused", /cannot connect to the proxy 127\.0\.0\.1:1: connection refused/],
      [other.url, "connect", /SSH-2\.0.*it is not an HTTP proxy/],
    ] as const
  ) {
    const options = testOptions({ proxies: viaPlan(proxy) });
    const response = await sendOnce("https://shop.test/", {}, options);
    assertEquals(response.error, kind);
    assertMatch(response.message!, message);
  }
});

Deno.test("proxy: connects directly to an address in `hosts`", async () => {
  await using server = wireServer(respondToAll);
  await using proxy = new ProxyServer();
  const hosts = { "shop.test": `127.0.0.1:${server.port}` };
  const options = testOptions({ proxies: viaPlan(proxy.url), hosts });
  const response = await sendOnce("http://shop.test/", {}, options);
  assertEquals([response.status, proxy.requests.length], [200, 0]);
});

Deno.test("proxy: NO_PROXY covers names, suffixes, ports, addresses and networks", () => {
  const env: Record<string, string> = {
    HTTP_PROXY: "http://proxy.test:3128",
    https_proxy: "secure.test:8080",
    NO_PROXY: "internal.test, .corp.test,*.lan.test,only.test:81,10.0.0.0/8,192.168.1.5,[::2]",
  };
  const proxies = readProxies(undefined, (name) => env[name]);
  const proxyOf = (url: string, given = proxies) =>
    proxyFor(resolveUrl(url, undefined).origin, given);
  const direct = [
    ...["internal.test", "a.internal.test", "x.corp.test", "x.lan.test", "only.test:81"],
    ...["10.200.1.1", "192.168.1.5", "[::2]", "localhost", "127.0.0.1:8080", "INTERNAL.test"],
  ];
  const proxied = [
    ...["shop.test", "corp.test", "notinternal.test", "only.test", "11.0.0.1", "192.168.1.50"],
  ];
  for (const scheme of ["http", "https"]) {
    const isDirect = (host: string) => proxyOf(`${scheme}://${host}/`) === undefined;
    assertEquals(direct.filter((host) => !isDirect(host)), []);
    assertEquals(proxied.filter(isDirect), []);
  }
  const secure = proxyOf("https://shop.test/");
  assertEquals([secure?.hostname, secure?.port], ["secure.test", 8080]);
  assertEquals(readProxies(false, (name) => env[name]), undefined);
  assertEquals(readProxies(undefined, () => undefined), undefined);
  env.NO_PROXY = "*";
  const none = readProxies(undefined, (name) => env[name]);
  assertEquals(proxyOf("http://shop.test/", none), undefined);
});

Deno.test("proxy: an unsupported proxy in the environment fails only requests that need it", async () => {
  const env: Record<string, string> = {
    HTTPS_PROXY: "socks5://joe:secret@proxy.test:1080",
    NO_PROXY: "internal.test",
  };
  const proxies = readProxies(undefined, (name) => env[name])!;
  const proxyOf = (url: string) => proxyFor(resolveUrl(url, undefined).origin, proxies);
  for (const url of ["http://shop.test/", "https://internal.test/", "https://127.0.0.1:8443/"]) {
    assertEquals(proxyOf(url), undefined, url);
  }
  const error = assertThrows(() => proxyOf("https://shop.test/"), InputError, "only HTTP proxies");
  assertEquals([error.place.source, error.message.includes("secret")], ["HTTPS_PROXY", false]);
  const response = await sendOnce("https://shop.test/", {}, testOptions({ proxies }));
  assertEquals(response.error, "connect");
  assertMatch(response.message!, /cannot use the proxy socks5:\/\/proxy\.test:1080: only HTTP/);
});

Deno.test("proxy: rejects unsupported proxy URLs without showing the password", () => {
  for (const url of ["https://joe:secret@proxy.test", "socks5://joe:secret@proxy.test:1080"]) {
    const error = assertThrows(() => viaPlan(url), InputError, "only HTTP proxies are supported");
    assertEquals(error.message.includes("secret"), false);
  }
});

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
