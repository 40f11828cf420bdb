import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { InputError } from "../../src/base/errors.ts";
import { hostAddress } from "../../src/http/dial.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { internOrigin } from "../../src/http/url.ts";
import { tlsOptions } from "../support/http2_server.ts";
import { openClient, sendOnce, testOptions } from "../support/http_client.ts";
import { pem, serverPair } from "../support/test_certificates.ts";
import { OK, type Peer, respondToAll, wireServer } from "../support/wire_server.ts";

/** Script that responds to one request. */
async function respondOnce(peer: Peer): Promise<void> {
  await peer.head();
  await peer.write(OK);
}

Deno.test("session: reuses one connection for sequential requests", async () => {
  await using server = wireServer(respondToAll);
  using client = openClient();
  for (let i = 0; i < 5; i++) {
    const response = await client.send(server.url);
    assertEquals([response.status, response.error, response.bodySize], [200, undefined, 2]);
    assertEquals(response.connectingMs > 0, i === 0);
  }
  assertEquals(server.accepted, 1);
});

Deno.test("session: opens one connection per session", async () => {
  await using server = wireServer(respondToAll);
  using client = openClient();
  await Promise.all([1, 2, 3].map(() => client.send(server.url, {}, client.open())));
  assertEquals(server.accepted, 3);
});

Deno.test("session: opens one connection per request if keep-alive is off", async () => {
  const heads: string[] = [];
  await using server = wireServer(async (peer) => {
    heads.push(await peer.head());
    await peer.write(OK);
    await peer.untilClosed();
  });
  using client = openClient(testOptions({ keepAlive: false }));
  for (let i = 0; i < 2; i++) await client.send(server.url);
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
      using client = openClient({ ...options, tls });
      const post = async () => {
        const response = await client.send(server.url, { method: "POST" });
        assertEquals([response.error, response.status], [undefined, 200], response.message);
        return Number(new TextDecoder().decode(response.body));
      };
      assertEquals(await post(), 0);
      // The event arrives before the response on the second connection.
      await client.send(server.url, {}, client.open());
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
    using client = openClient();
    await client.send(server.url);
    const { error, message } = await client.send(server.url, { method });
    const isIdempotent = method !== "POST" && method !== "PATCH";
    if (isIdempotent) assertEquals(error, undefined, `${method}: ${message}`);
    else assert(error === "closed" || error === "reset", method);
  }
});

Deno.test("session: does not retry a request that failed on a fresh connection", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index === 0) return respondOnce(peer);
    await peer.head();
  });
  using client = openClient();
  await client.send(server.url);
  assertEquals((await client.send(server.url)).error, "closed");
  assertEquals(server.accepted, 2);
});

Deno.test("session: reconnects after a fault", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index > 0) return respondOnce(peer);
    await peer.head();
    await peer.write("nonsense\r\n");
    await peer.untilClosed();
  });
  using client = openClient();
  assertEquals((await client.send(server.url)).error, "protocol");
  const { error, status } = await client.send(server.url);
  assertEquals([error, status], [undefined, 200]);
});

Deno.test("session: can be used again after `close`, which cancels the request in progress", async () => {
  const { promise: received, resolve: receive } = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    if (peer.index > 0) return respondOnce(peer);
    await peer.head();
    receive();
    await peer.untilClosed();
  });
  using client = openClient();
  const sending = client.send(server.url);
  await received;
  client.session.close();
  assertEquals((await sending).error, "cancelled");
  assertEquals((await client.send(server.url)).status, 200);
});

Deno.test("session: `close` cancels a request that is still connecting", async () => {
  await using server = wireServer(respondOnce);
  using client = openClient();
  const sending = client.send(server.url);
  client.session.close();
  assertEquals((await sending).error, "cancelled");
});

Deno.test("session: sends a large request while it receives a large response", async () => {
  const size = 4 * 1024 * 1024;
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
    for (let at = 0; at < size; at += 65_536) await peer.write(await peer.body(65_536));
  });
  const body = new Uint8Array(size).map((_, i) => i * 7 + (i >> 10));
  const response = await sendOnce(server.url, { method: "POST", body });
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
  const response = await sendOnce(server.url, { method: "POST", body });
  assertEquals([response.status, response.error], [413, undefined], response.message);
});

Deno.test("session: the reported phases add up to at most the total duration", async () => {
  await using server = wireServer(respondOnce);
  const before = performance.now();
  const response = await sendOnce(server.url);
  const elapsed = performance.now() - before;
  assert(response.startedAt >= before);
  const { blockedMs, connectingMs, tlsMs, sendingMs, waitingMs, receivingMs } = response;
  const total = blockedMs + connectingMs + tlsMs + sendingMs + waitingMs + receivingMs;
  assert(total > 0 && total <= elapsed, `${total} of ${elapsed}`);
  assertEquals(response.bytesReceived, OK.length);
});

Deno.test("session: connects to the address set in `hosts`", async () => {
  const heads: string[] = [];
  await using server = wireServer(async (peer) => {
    heads.push(await peer.head());
    await peer.write(OK);
  });
  const hosts = { "shop.invalid": `127.0.0.1:${server.port}`, "b.invalid:81": "127.0.0.1" };
  const response = await sendOnce("http://shop.invalid/x", {}, testOptions({ hosts }));
  assertEquals([response.status, response.error], [200, undefined], response.message);
  assertEquals(heads, ["GET /x HTTP/1.1\r\nHost: shop.invalid\r\n\r\n"]);
});

const FILES: Record<string, string> = {
  "ca.pem": pem("ca.pem"),
  "client.pem": pem("client.pem"),
  "client.key": pem("client.key"),
  "notes.txt": "no PEM",
};
const read = (path: string) => FILES[path];

Deno.test("network options: have the documented defaults", () => {
  assertEquals(networkOptions({}, read), testOptions({ version: "auto" }));
});

Deno.test("network options: contain the contents of the certificate files, and can be sent to a worker", () => {
  const options = networkOptions({
    version: "http2",
    keep_alive: false,
    hosts: { a: "127.0.0.1" },
    tls: {
      ca_file: "ca.pem",
      cert_file: "client.pem",
      key_file: "client.key",
      server_name: "b",
      insecure_skip_verify: true,
    },
  }, read);
  assertEquals(options.tls, {
    insecureSkipVerify: true,
    ca: FILES["ca.pem"],
    cert: FILES["client.pem"],
    key: FILES["client.key"],
    serverName: "b",
  });
  assertEquals([options.version, options.keepAlive], ["http2", false]);
  assertEquals(structuredClone(options), options);
});

Deno.test("network options: reject a file without PEM data or a certificate without its key", () => {
  for (
    const tls of [
      { ca_file: "notes.txt" },
      { cert_file: "client.key", key_file: "client.key" },
      { cert_file: "client.pem", key_file: "client.pem" },
    ]
  ) assertThrows(() => networkOptions({ tls }, read), InputError, "PEM format");
  for (const tls of [{ cert_file: "client.pem" }, { key_file: "client.key" }]) {
    assertThrows(() => networkOptions({ tls }, read), InputError, "set both");
  }
});

const origin = internOrigin(false, "shop.test", 8080);

const CASES: [hosts: Record<string, string>, hostname: string, port: number][] = [
  [{}, "shop.test", 8080],
  [{ "other.test": "10.0.0.1" }, "shop.test", 8080],
  [{ "shop.test": "10.0.0.1" }, "10.0.0.1", 8080],
  [{ "shop.test": "10.0.0.1:9090" }, "10.0.0.1", 9090],
  [{ "shop.test:8080": "10.0.0.2", "shop.test": "10.0.0.1" }, "10.0.0.2", 8080],
  [{ "shop.test:80": "10.0.0.2" }, "shop.test", 8080],
  [{ "shop.test": "::1" }, "::1", 8080],
  [{ "shop.test": "[::1]" }, "::1", 8080],
  [{ "shop.test": "[::1]:9090" }, "::1", 9090],
];

for (const [hosts, hostname, port] of CASES) {
  Deno.test(`hosts: ${JSON.stringify(hosts)} resolves to ${hostname} ${port}`, () => {
    assertEquals(hostAddress(origin, hosts), { hostname, port });
  });
}

Deno.test("hosts: ignores inherited object properties such as `constructor`", () => {
  const odd = internOrigin(false, "constructor", 80);
  assertEquals(hostAddress(odd, {}), { hostname: "constructor", port: 80 });
});

Deno.test("connect_timeout: ends a connection attempt before the timeout of the request", async () => {
  // The server accepts the connection but never starts TLS.
  await using server = wireServer((peer) => peer.untilClosed());
  const url = server.url.replace("http", "https");
  const response = await sendOnce(url, {}, testOptions({ connectTimeoutMs: 50 }));
  assertEquals(response.error, "timeout");
  assertMatch(response.message!, /no connection within 50ms \(`connect_timeout`\)/);
});

Deno.test("connect_timeout: does not limit the response time", async () => {
  const waited = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    await peer.head();
    await waited.promise;
    await peer.write(OK);
  });
  setTimeout(waited.resolve, 120);
  const response = await sendOnce(server.url, {}, testOptions({ connectTimeoutMs: 60 }));
  assertEquals([response.status, response.error], [200, undefined]);
});

Deno.test("unix: reports a socket that does not exist", async () => {
  const hosts = { "app.test": "unix:/nonexistent/app.sock" };
  const response = await sendOnce("http://app.test/", {}, testOptions({ hosts }));
  assertEquals(response.error, "connect");
});

for (const version of ["1.2", "1.3"] as const) {
  Deno.test(`tls: negotiates version ${version} if \`min_version\` and \`max_version\` require it`, async () => {
    const { cert, key } = serverPair();
    const seen: (string | null)[] = [];
    const server = createServer({ cert, key }, (socket) => {
      seen.push(socket.getProtocol());
      socket.on("error", () => {});
      socket.once("data", () => socket.end(OK));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { tls } = networkOptions(
      { tls: { min_version: version, max_version: version, ca_file: "ca" } },
      () => pem("ca.pem"),
    );
    const response = await sendOnce(`https://127.0.0.1:${port}/`, {}, testOptions({ tls }));
    server.close();
    const { status, message } = response;
    assertEquals([status, message, seen], [200, undefined, [`TLSv${version}`]]);
  });
}
