import { assertEquals, assertMatch } from "@std/assert";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { hostAddress } from "../../src/http/dial.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { internOrigin } from "../../src/http/url.ts";
import { sendOnce, testOptions } from "../support/http_client.ts";
import { pem, serverPair } from "../support/test_certificates.ts";
import { OK, wireServer } from "../support/wire_server.ts";

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
