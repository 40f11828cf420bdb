import { assert, assertEquals } from "@std/assert";
import { networkSender } from "../../src/http/network_session.ts";
import { type NetworkOptions, readProxies } from "../../src/http/network_options.ts";
import { type HttpResponse, newResponse, type Outgoing } from "../../src/http/sender.ts";
import { disposable, testRequest } from "../support/http_client.ts";
import { type Handler, http2Server, tlsOptions } from "../support/http2_server.ts";
import { ProxyServer } from "../support/proxy_server.ts";
import { serverPair } from "../support/test_certificates.ts";
import { wireServer } from "../support/wire_server.ts";

/** Sends one request for each of `changes` over one session, and returns the responses. */
async function sendAll(
  url: string,
  version: NetworkOptions["version"],
  ...changes: Partial<Outgoing>[]
): Promise<HttpResponse[]> {
  using sender = disposable(networkSender(tlsOptions({ version })));
  const session = sender.open();
  const all: HttpResponse[] = [];
  for (const change of changes) {
    const response = newResponse();
    await session.send(testRequest(url, change), response);
    all.push(response);
  }
  return all;
}

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
    const body = new Uint8Array(200_000).map((_, i) => i * 31);
    const scheme = secure ? "https" : "http";
    const [first, second, third] = await sendAll(
      `${scheme}://127.0.0.1:${server.port}/a?b`,
      version,
      {
        method: "PUT",
        headers: [["X-A", "1"], ["x-a", "2"], ["Connection", "close"], ["Host", "shop.test"]],
        body,
      },
      {},
      { method: "HEAD" },
    );
    assertEquals([first.error, first.status], [undefined, 201], first.message);
    assertEquals(first.headers.slice(0, 2), [["set-cookie", "a=1"], ["set-cookie", "b=2"]]);
    const [httpVersion, method, url, headers] = JSON.parse(
      first.headers.find(([name]) => name === "x-seen")![1],
    );
    assertEquals([httpVersion, method, url], ["2.0", "PUT", "/a?b"]);
    assertEquals([headers["x-a"], headers[":authority"]], ["1, 2", "shop.test"]);
    assertEquals([headers.connection, headers["content-length"]], [undefined, "200000"]);
    assertEquals(first.body, body);
    assert(first.bytesSent > body.length && first.bytesReceived > body.length);
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
      using sender = disposable(
        networkSender({ ...options, tls: { ...options.tls, insecureSkipVerify } }),
      );
      const session = sender.open();
      const response = newResponse();
      const body = new Uint8Array(200_000).map((_, i) => i * 31);
      const url = `http${secure ? "s" : ""}://localhost:${server.port}/`;
      for (let i = 0; i < 3; i++) {
        await session.send(testRequest(url, { method: "POST", body }), response);
        assertEquals([response.status, response.error], [201, undefined], response.message);
        assertEquals(response.body, body);
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
    `http://127.0.0.1:${server.port}/`,
    "http2",
    { needs: { headers: false, body: false } },
    { needs: { headers: false, body: true } },
  );
  assertEquals([none.headers, none.body.length, none.bodySize], [[["set-cookie", "a=1"]], 0, 5]);
  assertEquals(body.headers, [["set-cookie", "a=1"], ["content-type", "a/b"]]);
  assertEquals(new TextDecoder().decode(body.body), "hello");
});

Deno.test("http2: keeps the headers and the first bytes of a failed response if the caller needs them", async () => {
  await using server = await http2Server(false, (_, response) => {
    response.writeHead(503, { "retry-after": "5" });
    response.end("x".repeat(20_000));
  });
  const needs = { headers: false, body: false };
  const [kept, not] = await sendAll(
    `http://127.0.0.1:${server.port}/`,
    "http2",
    { needs: { ...needs, keepsFailure: () => true } },
    { needs: { ...needs, keepsFailure: () => false } },
  );
  assertEquals([kept.excerpt.length, kept.body.length, kept.bodySize], [8_192, 0, 20_000]);
  assert(kept.headers.some(([name, value]) => name === "retry-after" && value === "5"));
  assertEquals([not.excerpt.length, not.headers], [0, []]);
});

Deno.test("http2: reports the kind of each fault and can still send the next request", async () => {
  await using server = await http2Server(false, (request, response) => {
    if (request.url === "/reset") response.stream.close(2);
    else if (request.url === "/gone") request.stream.session!.destroy();
    else if (request.url === "/slow") return;
    else if (request.url === "/large") response.end(new Uint8Array(300_000));
    else response.end("ok");
  });
  using sender = disposable(
    networkSender(tlsOptions({ version: "http2", limits: { headers: 1_000, body: 100_000 } })),
  );
  const session = sender.open();
  const response = newResponse();
  const ask = async (target: string) => {
    const url = `http://127.0.0.1:${server.port}${target}`;
    const timeoutMs = target === "/slow" ? 50 : 60_000;
    await session.send(testRequest(url, { method: "POST", timeoutMs }), response);
    return response.error ?? response.status;
  };
  for (
    const [target, expected] of [
      ["/reset", "reset"],
      ["/gone", "reset"],
      ["/slow", "timeout"],
      ["/large", "too_large"],
    ] as const
  ) {
    assertEquals(await ask(target), expected, response.message);
    assertEquals(await ask("/"), 200, response.message);
  }
});

Deno.test("http2: reports a server without HTTP/2 support as `protocol` only if the plan requires HTTP/2", async () => {
  const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  for (const secure of [true, false]) {
    await using server = wireServer(async (peer) => {
      if (await peer.head() !== "") await peer.write(answer);
    }, secure ? serverPair() : undefined);
    const url = `${secure ? "https" : "http"}://127.0.0.1:${server.port}/`;
    const [demanded] = await sendAll(url, "http2", {});
    assertEquals(demanded.error, "protocol", demanded.message);
    const [offered] = await sendAll(url, "auto", {});
    assertEquals([offered.error, offered.status], [undefined, 200], offered.message);
  }
});

Deno.test("http2: reports a body whose length does not match its content-length as a `protocol` error", async () => {
  const bodies: Record<string, [status: number, length: string | undefined, size: number]> = {
    "/whole": [200, "20", 20],
    "/empty": [200, "0", 0],
    "/no-length": [200, undefined, 20],
    "/short": [200, "100000", 20_000],
    "/long": [200, "4", 100],
    "/nothing": [200, "4", 0],
    "/not-modified": [304, "4", 0],
    "/no-content": [204, undefined, 0],
    "/error": [500, "4", 3],
  };
  await using server = await http2Server(false, (request, response) => {
    const [status, length, size] = bodies[request.url];
    response.stream.respond({
      ":status": status,
      ...(length !== undefined && { "content-length": length }),
    });
    response.stream.end(new Uint8Array(request.method === "HEAD" ? 0 : size));
  });
  const url = `http://127.0.0.1:${server.port}`;
  for (const needs of [{ headers: false, body: false }, { headers: true, body: true }]) {
    const outcome = async (path: string, method = "GET") => {
      const [response] = await sendAll(url + path, "http2", { method, needs: needs });
      return [
        path,
        method,
        response.error,
        response.error ? "" : response.status,
        response.message ?? "",
      ];
    };
    for (const path of ["/whole", "/empty", "/no-length", "/not-modified", "/no-content"]) {
      assertEquals(await outcome(path), [path, "GET", undefined, bodies[path][0], ""]);
    }
    for (const path of ["/whole", "/short", "/not-modified"]) {
      assertEquals(await outcome(path, "HEAD"), [path, "HEAD", undefined, bodies[path][0], ""]);
    }
    for (const path of ["/short", "/long", "/nothing", "/error"]) {
      assertEquals((await outcome(path)).slice(0, 4), [path, "GET", "protocol", ""]);
    }
  }
});

Deno.test("http2: can still send the next request after a response with an invalid content-length", async () => {
  await using server = await http2Server(false, (request, response) => {
    response.stream.respond({ ":status": 200, "content-length": request.url === "/" ? "2" : "9" });
    response.stream.end("ok");
  });
  using sender = disposable(networkSender(tlsOptions({ version: "http2" })));
  const session = sender.open();
  const response = newResponse();
  for (const [target, error] of [["/", undefined], ["/short", "protocol"], ["/", undefined]]) {
    await session.send(testRequest(`http://127.0.0.1:${server.port}${target}`), response);
    assertEquals([target, response.error], [target, error], response.message);
  }
});

Deno.test("http2: reports a header block above the limit as `too_large` and can still send the next request", async () => {
  await using server = await http2Server(false, (request, response) => {
    const count = request.url === "/" ? 1 : Number(request.url.slice(1));
    for (let i = 0; i < count; i++) response.setHeader(`x-${i}`, "x".repeat(1_000));
    response.end("ok");
  });
  using sender = disposable(
    networkSender(tlsOptions({ version: "http2", limits: { headers: 10_000, body: 100 } })),
  );
  const session = sender.open();
  const response = newResponse();
  for (const [target, error] of [["/11", "too_large"], ["/9", undefined]]) {
    await session.send(testRequest(`http://127.0.0.1:${server.port}${target}`), response);
    assertEquals([target, response.error], [target, error], response.message);
    await session.send(testRequest(`http://127.0.0.1:${server.port}/`), response);
    assertEquals(response.error, undefined, response.message);
  }
});
