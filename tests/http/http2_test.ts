import { assert, assertEquals } from "@std/assert";
import { type NetworkOptions, readProxies } from "../../src/http/network_options.ts";
import type { HttpResponse, Outgoing } from "../../src/http/sender.ts";
import { openClient } from "../support/http_client.ts";
import { type Handler, http2Server, tlsOptions } from "../support/http2_server.ts";
import { ProxyServer } from "../support/proxy_server.ts";
import { serverPair } from "../support/test_certificates.ts";
import { OK, wireServer } from "../support/wire_server.ts";

/** Sends one request for each of `changes` over one session, and returns the responses. */
async function sendAll(
  url: string,
  version: NetworkOptions["version"],
  ...changes: Partial<Outgoing>[]
): Promise<HttpResponse[]> {
  using client = openClient(tlsOptions({ version }));
  const all: HttpResponse[] = [];
  for (const change of changes) all.push(await client.send(url, change));
  return all;
}

const BODY = new Uint8Array(200_000).map((_, i) => i * 31);
const NOTHING = { headers: false, body: false };
const LIMITS = { headers: 10_000, body: 100_000 };

const echo: Handler = (request, response) => {
  response.writeHead(201, {
    "set-cookie": ["a=1", "b=2"],
    "x-seen": JSON.stringify([request.httpVersion, request.method, request.url, request.headers]),
  });
  if (request.method === "HEAD") response.end();
  else request.pipe(response);
};

Deno.test("http2: is negotiated by ALPN over TLS, and used without negotiation over plain TCP", async () => {
  for (const [secure, version] of [[true, "auto"], [true, "http2"], [false, "http2"]] as const) {
    await using server = await http2Server(secure, echo);
    const headers = [["X-A", "1"], ["x-a", "2"], ["Connection", "close"], ["Host", "shop.test"]];
    const put = { method: "PUT", headers: headers as [string, string][], body: BODY };
    const all = await sendAll(`${server.url}a?b`, version, put, {}, { method: "HEAD" });
    const [first, second, third] = all;
    assertEquals([first.error, first.status], [undefined, 201], first.message);
    assertEquals(first.headers.slice(0, 2), [["set-cookie", "a=1"], ["set-cookie", "b=2"]]);
    const [httpVersion, method, url, seen] = JSON.parse(
      first.headers.find(([name]) => name === "x-seen")![1],
    );
    assertEquals([httpVersion, method, url], ["2.0", "PUT", "/a?b"]);
    assertEquals([seen["x-a"], seen[":authority"]], ["1, 2", "shop.test"]);
    assertEquals([seen.connection, seen["content-length"]], [undefined, "200000"]);
    assertEquals(first.body, BODY);
    assert(first.bytesSent > BODY.length && first.bytesReceived > BODY.length);
    assertEquals([second.error, second.status, second.bodySize], [undefined, 201, 0]);
    assertEquals([third.error, third.status], [undefined, 201]);
    assertEquals([server.used, server.accepted], [1, 1]);
  }
});

Deno.test("http2: works over Node's sockets, and through a tunnel of a proxy", async () => {
  for (const [secure, insecureSkipVerify] of [[true, true], [true, false], [false, false]]) {
    for (const isProxied of [false, true]) {
      await using server = await http2Server(secure, echo);
      await using proxy = new ProxyServer();
      const options = tlsOptions({
        version: "http2",
        ...(isProxied && { proxies: readProxies(proxy.url, () => undefined) }),
      });
      using client = openClient({ ...options, tls: { ...options.tls, insecureSkipVerify } });
      const url = server.url.replace("127.0.0.1", "localhost");
      for (let i = 0; i < 3; i++) {
        const response = await client.send(url, { method: "POST", body: BODY });
        assertEquals([response.status, response.error], [201, undefined], response.message);
        assertEquals(response.body, BODY);
      }
      assertEquals([server.accepted, proxy.requests.length], [1, isProxied ? 1 : 0]);
    }
  }
});

Deno.test("http2: keeps only the headers that are needed, and the body only if it is needed", async () => {
  await using server = await http2Server(false, (_, response) => {
    response.writeHead(200, { "set-cookie": "a=1", "x-other": "1", "content-type": "a/b" });
    response.end("hello");
  });
  const [none, body] = await sendAll(
    server.url,
    "http2",
    { needs: NOTHING },
    { needs: { headers: false, body: true } },
  );
  assertEquals([none.headers, none.body.length, none.bodySize], [[["set-cookie", "a=1"]], 0, 5]);
  assertEquals(body.headers, [["set-cookie", "a=1"], ["content-type", "a/b"]]);
  assertEquals(new TextDecoder().decode(body.body), "hello");
});

Deno.test("http2: keeps the headers and the first bytes of a failed response", async () => {
  await using server = await http2Server(false, (_, response) => {
    response.writeHead(503, { "retry-after": "5" });
    response.end("x".repeat(20_000));
  });
  const [kept] = await sendAll(server.url, "http2", { needs: NOTHING });
  assertEquals([kept.excerpt.length, kept.body.length, kept.bodySize], [8_192, 0, 20_000]);
  assert(kept.headers.some(([name, value]) => name === "retry-after" && value === "5"));
});

/** Requests to a faulty server, with the result of each. After each, the next request succeeds. */
const FAULTS: readonly [path: string, result: string | number][] = [
  ["reset", "reset"],
  ["gone", "reset"],
  ["slow", "timeout"],
  ["large", "too_large"],
  ["short", "protocol"],
  ["headers=11", "too_large"],
  ["headers=9", 200],
];

Deno.test("http2: reports the kind of each fault and can still send the next request", async () => {
  await using server = await http2Server(false, (request, response) => {
    const path = request.url.slice(1);
    const count = Number(path.split("=")[1] ?? 0);
    for (let i = 0; i < count; i++) response.setHeader(`x-${i}`, "x".repeat(1_000));
    if (path === "reset") response.stream.close(2);
    else if (path === "gone") request.stream.session!.destroy();
    else if (path === "slow") return;
    else if (path === "large") response.end(new Uint8Array(300_000));
    else {
      if (path === "short") response.setHeader("content-length", "9");
      response.stream.respond({ ":status": 200, ...response.getHeaders() });
      response.stream.end("ok");
    }
  });
  using client = openClient(tlsOptions({ version: "http2", limits: LIMITS }));
  for (const [path, expected] of FAULTS) {
    for (const [target, result] of [[path, expected], ["", 200]]) {
      const timeoutMs = target === "slow" ? 50 : 60_000;
      const response = await client.send(server.url + target, { method: "POST", timeoutMs });
      assertEquals(response.error ?? response.status, result, `${target}: ${response.message}`);
    }
  }
});

Deno.test("http2: reports a server without HTTP/2 support as `protocol` only if the plan requires HTTP/2", async () => {
  for (const secure of [true, false]) {
    await using server = wireServer(async (peer) => {
      if (await peer.head() !== "") await peer.write(OK);
    }, secure ? serverPair() : undefined);
    const [demanded] = await sendAll(server.url, "http2", {});
    assertEquals(demanded.error, "protocol", demanded.message);
    const [offered] = await sendAll(server.url, "auto", {});
    assertEquals([offered.error, offered.status], [undefined, 200], offered.message);
  }
});

/** Status, content-length and size of a body, and whether they match for GET. */
const BODIES: readonly [status: number, length: string | undefined, size: number, ok: boolean][] = [
  [200, "20", 20, true],
  [200, "0", 0, true],
  [200, undefined, 20, true],
  [304, "4", 0, true],
  [204, undefined, 0, true],
  [200, "100000", 20_000, false],
  [200, "4", 100, false],
  [200, "4", 0, false],
  [500, "4", 3, false],
];

Deno.test("http2: reports a body whose length does not match its content-length as a `protocol` error", async () => {
  await using server = await http2Server(false, (request, response) => {
    const [status, length, size] = BODIES[Number(request.url.slice(1))];
    response.stream.respond({
      ":status": status,
      ...(length !== undefined && { "content-length": length }),
    });
    response.stream.end(new Uint8Array(request.method === "HEAD" ? 0 : size));
  });
  for (const needs of [NOTHING, { headers: true, body: true }]) {
    for (const [i, [status, , , matches]] of BODIES.entries()) {
      const [got, head] = await sendAll(server.url + i, "http2", { needs }, {
        method: "HEAD",
        needs,
      });
      const result = ({ error, message }: HttpResponse) => error === undefined ? message : error;
      assertEquals(result(got), matches ? undefined : "protocol", `${BODIES[i]}`);
      if (matches) assertEquals(got.status, status);
      assertEquals([head.error, head.message, head.status], [undefined, undefined, status]);
    }
  }
});
