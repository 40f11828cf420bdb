import { assert, assertEquals, assertMatch } from "@std/assert";
import { type NetworkOptions, readProxies } from "../../src/http/network_options.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { connectHttp2, turn } from "../support/http2_client.ts";
import { type Handler, http2Server, tlsOptions } from "../support/http2_server.ts";
import { openClient, testRequest } from "../support/http_client.ts";
import { bytesOf, textOf } from "../support/parsed.ts";
import { ProxyServer } from "../support/proxy_server.ts";
import {
  ACK,
  data,
  END_HEADERS,
  END_STREAM,
  field,
  FRAME,
  frame,
  goaway,
  head,
  int32,
  joined,
  reset,
  settings,
  STATUS_103,
  STATUS_200,
  wholeResponse,
} from "../support/raw_http2.ts";
import { serverPair } from "../support/test_certificates.ts";
import { OK, wireServer } from "../support/wire_server.ts";

const HEAD = head(STATUS_200);
const BODY = data("hello");

Deno.test("http2 connection: the client sends its settings, and acknowledges those of the server", async () => {
  const { deliver, frames } = connectHttp2();
  await deliver(settings([3, 1]), frame(FRAME.ping, 0, 0, bytesOf("12345678")));
  const [first, window, acknowledged, pong, ...rest] = frames();
  const noTable = [0, 1, 0, 0, 0, 0], noPush = [0, 2, 0, 0, 0, 0];
  assertEquals([...first.payload], [...noTable, ...noPush, 0, 4, 0x3f, 0xff, 0xff, 0xff]);
  assertEquals([window.type, window.stream], [FRAME.window, 0]);
  assertEquals([acknowledged.type, acknowledged.flags], [FRAME.settings, ACK]);
  assertEquals([pong.type, pong.flags, textOf(pong.payload)], [FRAME.ping, ACK, "12345678"]);
  assertEquals(rest, []);
});

Deno.test("http2 connection: a head above the frame size continues in more frames", async () => {
  const { send, deliver, frames } = connectHttp2();
  const sending = send({ headers: [["x", "y".repeat(40_000)]] });
  await deliver(settings(), wholeResponse(1, "hello"));
  assertEquals((await sending).status, 200);
  const parts = frames().filter(({ stream }) => stream === 1);
  assertEquals(parts.map(({ type, flags, payload }) => [type, flags, payload.length]), [
    [FRAME.headers, END_STREAM, 16_384],
    [FRAME.continuation, 0, 16_384],
    [FRAME.continuation, END_HEADERS, parts[2].payload.length],
  ]);
});

Deno.test("http2 connection: after a smaller table size, the next block states that it uses no table", async () => {
  const { send, deliver, frames } = connectHttp2();
  await deliver(settings([1, 0]));
  for (let i = 0; i < 2; i++) send();
  await turn();
  const blocks = frames().filter(({ type }) => type === FRAME.headers);
  assertEquals(blocks.map(({ payload }) => payload[0]), [0x20, 0x82]);
  assertEquals(blocks[0].payload.subarray(1), blocks[1].payload);
});

Deno.test("http2 connection: GOAWAY ends only the streams that the server does not process", async () => {
  const { send, deliver, connection, wire, frames } = connectHttp2();
  await deliver(settings([3, 2]));
  const sending = [send(), send(), send()];
  await deliver(goaway(1));
  assertEquals(connection.usable, false);
  assertEquals((await sending[1]).unprocessed, true);
  assertEquals((await sending[2]).unprocessed, true, "it has waited for a free stream");
  await deliver(wholeResponse(1, "hello"));
  assertEquals((await sending[0]).status, 200);
  assert(wire.isClosed);
  assertEquals(frames().filter(({ type }) => type === FRAME.headers).length, 2);
});

Deno.test("http2 connection: the reason of a GOAWAY is kept when the connection is then reset", async () => {
  const { send, deliver, wire } = connectHttp2();
  const sending = send();
  const reason = joined(int32(1), int32(11), bytesOf("too many"));
  await deliver(settings(), frame(FRAME.goaway, 0, 0, reason));
  wire.end(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
  const { error, message } = await sending;
  assertEquals(error, "reset");
  assertMatch(message!, /reset the connection \(GOAWAY, ENHANCE_YOUR_CALM: "?too many/);
});

Deno.test("http2 connection: requests wait until the server accepts another stream", async () => {
  const { send, deliver, frames } = connectHttp2();
  const requests = () => frames().filter(({ type }) => type === FRAME.headers).length;
  const first = Array.from({ length: 101 }, () => send());
  await turn();
  assertEquals(requests(), 100, "before the settings of the server");
  await deliver(settings([3, 102]));
  assertEquals(requests(), 101);
  const waiting = [send(), send()];
  await turn();
  await deliver(settings([4, 70_000]));
  assertEquals(requests(), 102, "other settings do not change the number");
  await deliver(wholeResponse(1, "hello"));
  assertEquals([requests(), (await first[0]).status], [103, 200]);
  await deliver(settings([3, 0]), wholeResponse(203, ""), wholeResponse(205, ""));
  assertEquals((await waiting[1]).status, 200);
  assert((await waiting[1]).blockedMs > 0);
});

Deno.test("http2 connection: a connection whose stream IDs have run out is not used again", async () => {
  const { send, deliver, connection } = connectHttp2({ firstId: 0x7fffffff - 2 });
  await deliver(settings());
  const first = send();
  assertEquals(connection.usable, true);
  const second = send();
  assertEquals(connection.usable, false);
  const third = await send();
  assertEquals([third.error, third.unprocessed], ["closed", true]);
  await deliver(wholeResponse(0x7fffffff, "b"), wholeResponse(0x7fffffff - 2, "a"));
  assertEquals([textOf((await first).body), textOf((await second).body)], ["a", "b"]);
});

Deno.test("http2 connection: bodies are sent as far as the windows allow, in turns", async () => {
  const { send, deliver, frames } = connectHttp2();
  const sent = (stream: number) =>
    frames().filter((frame) => frame.type === FRAME.data && frame.stream === stream)
      .reduce((sum, { payload }) => sum + payload.length, 0);
  const body = new Uint8Array(300_000).map((_, i) => i * 7);
  const sending = [send({ method: "POST", body }), send({ method: "POST", body })];
  await turn();
  assertEquals(sent(1) + sent(3), 65_535);
  await deliver(settings([4, 40_000]), frame(FRAME.window, 0, 0, int32(1_000_000)));
  assert(sent(1) >= 32_768 && sent(3) >= 32_767, `${sent(1)} ${sent(3)}`);
  await deliver(settings([4, 10_000]), frame(FRAME.window, 0, 3, int32(60_000)));
  assertEquals(Math.max(sent(1), sent(3)), 70_000, "a smaller window counts for open streams");
  await deliver(HEAD, settings([4, 400_000]));
  assertEquals([sent(1), sent(3)], [300_000, 300_000]);
  const parts = frames().filter(({ type, stream }) => type === FRAME.data && stream === 1);
  assertEquals(joined(...parts.map(({ payload }) => payload)), body);
  assertEquals(parts.map(({ flags }) => flags).filter(Boolean), [END_STREAM]);
  await deliver(data("a"), wholeResponse(3, "b"));
  const responses = await Promise.all(sending);
  assertEquals(responses[0].waitingMs, 0, "the response began before the request was sent");
  assertEquals(responses.map(({ status }) => status), [200, 200]);
  const all = frames().reduce((sum, { payload }) => sum + 9 + payload.length, 24);
  assertEquals(responses[0].bytesSent + responses[1].bytesSent, all);
});

Deno.test("http2 connection: a response before the end of the request ends the request", async () => {
  const { send, deliver, connection, frames } = connectHttp2();
  await deliver(settings());
  const other = send();
  const sending = send({ method: "POST", body: new Uint8Array(100_000) });
  await deliver(wholeResponse(3, "no"));
  assertEquals((await sending).status, 200);
  assertEquals(frames().at(-1), {
    type: FRAME.reset,
    flags: 0,
    stream: 3,
    payload: int32(0),
  });
  await deliver(frame(FRAME.window, 0, 0, int32(100_000)), frame(FRAME.window, 0, 3, int32(9)));
  assertEquals(frames().at(-1)!.type, FRAME.reset, "nothing more is sent");
  await deliver(wholeResponse(1, "hello"));
  assertEquals([(await other).status, connection.usable], [200, true]);
});

Deno.test("http2 connection: data of canceled streams count for the window of the connection", async () => {
  const { send, deliver, connection, frames } = connectHttp2();
  await deliver(settings());
  const response = new HttpResponse();
  const needs = { headers: false, body: false };
  const other = send({ needs });
  connection.exchange(testRequest("http://a.test/"), response, 0).catch(() => {});
  connection.abort(response);
  const chunk = new Uint8Array(16_384);
  const pieces = Array.from({ length: 1_000 }, () => frame(FRAME.data, 0, 3, chunk));
  const all = joined(...pieces);
  // 0.5 GiB is half of the window.
  for (let i = 0; i < 33; i++) await deliver(all);
  const updates = frames().filter(({ type }) => type === FRAME.window);
  assertEquals(updates.length, 2);
  const increment = new DataView(Uint8Array.from(updates[1].payload).buffer).getUint32(0);
  assert(increment >= 2 ** 29 && increment % 16_384 === 0, `${increment}`);
  await deliver(head(STATUS_200, END_HEADERS, 3), reset(3, 8), HEAD);
  const body = joined(...pieces.map(() => frame(FRAME.data, 0, 1, chunk)));
  for (let i = 0; i < 33; i++) await deliver(body);
  await deliver(data("", END_STREAM));
  assertEquals((await other).bodySize, 33 * 16_384_000);
  const streams = frames().filter(({ type }) => type === FRAME.window).map(({ stream }) => stream);
  assertEquals(streams, [0, 0, 0, 1], "two updates of the connection, and one of the stream");
});

Deno.test("http2 connection: the body of a canceled request is not sent", async () => {
  const { send, deliver, connection, frames } = connectHttp2();
  await deliver(settings());
  const body = new Uint8Array(100_000);
  const [other, response] = [send({ method: "POST", body }), new HttpResponse()];
  const request = testRequest("http://a.test/", { method: "POST", body });
  connection.exchange(request, response, 0).catch(() => {});
  connection.abort(response);
  await deliver(frame(FRAME.window, 0, 0, int32(9e5)), frame(FRAME.window, 0, 1, int32(9e5)));
  const ids = frames().filter(({ type }) => type === FRAME.data).map(({ stream }) => stream);
  assertEquals(new Set(ids), new Set([1]));
  await deliver(wholeResponse(1, "hello"));
  assertEquals((await other).status, 200);
});

Deno.test("http2 connection: canceling the only exchange closes the connection", async () => {
  const { wire, connection, frames } = connectHttp2();
  const response = new HttpResponse();
  const sending = connection.exchange(testRequest("http://a.test/"), response, 0);
  await turn();
  connection.abort(response);
  await sending.then(() => assert(false), () => {});
  await turn();
  assertEquals([wire.isClosed, connection.usable], [true, false]);
  assertEquals(frames().at(-1)!.type, FRAME.reset);
});

Deno.test("http2 connection: canceling a request that waits for a stream closes an idle connection", async () => {
  const { wire, connection, send, deliver, frames } = connectHttp2();
  await deliver(settings([3, 1]));
  const [other, response] = [send(), new HttpResponse()];
  const wait = () => connection.exchange(testRequest("http://a.test/"), response, 0);
  const waiting = wait();
  connection.abort(response);
  await waiting.then(() => assert(false), () => {});
  await deliver(wholeResponse(1, "hello"), settings([3, 0]));
  assertEquals([(await other).status, wire.isClosed], [200, false]);
  const waitingAlone = wait();
  connection.abort(response);
  await waitingAlone.then(() => assert(false), () => {});
  assertEquals([wire.isClosed, connection.usable], [true, false]);
  assertEquals(frames().filter(({ type }) => type === FRAME.headers).length, 1);
});

Deno.test("http2 connection: floods of PING and SETTINGS end the connection if the server reads no acknowledgments", async () => {
  for (const flood of [frame(FRAME.ping, 0, 0, new Uint8Array(8)), settings([3, 5])]) {
    const { send, deliver, wire } = connectHttp2();
    const sending = send();
    await deliver(settings());
    wire.isStalled = true;
    const many = joined(...Array.from({ length: 1_000 }, () => flood));
    for (let i = 0; i < 100 && !wire.isClosed; i++) await deliver(many);
    const { error, message } = await sending;
    assertEquals(error, "protocol");
    assertMatch(message!, /floods/);
  }
});

Deno.test("http2 connection: a body stream that needs no more bytes cancels its stream only", async () => {
  const { send, deliver, connection, frames } = connectHttp2();
  await deliver(settings());
  let text = "";
  const stream = { push: (chunk: Uint8Array) => (text += textOf(chunk)).includes("lo") };
  const sending = send({ stream });
  const sized = head(joined(STATUS_200, field("content-length", "99")));
  const cut = data("lo more", 0);
  await deliver(sized, data("hel", 0), cut.subarray(0, 11));
  assertEquals([(await sending).error, text, connection.usable], [undefined, "hello", true]);
  const { type, payload } = frames().at(-1)!;
  assertEquals([type, payload], [FRAME.reset, int32(8)]);
  const next = send();
  await deliver(cut.subarray(11), data("rest"), wholeResponse(3, "next"));
  assertEquals(textOf((await next).body), "next");
});

Deno.test("http2 connection: sending ends when the request is written, and waiting when the head arrives", async () => {
  const { wire, connection } = connectHttp2();
  const response = new HttpResponse();
  const from = performance.now();
  const body = new Uint8Array(70_000);
  const request = testRequest("http://a.test/", { method: "POST", body });
  const sending = connection.exchange(request, response, from);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 30));
  await pause();
  wire.deliver(joined(settings([4, 100_000]), frame(FRAME.window, 0, 0, int32(100_000))));
  await pause();
  wire.deliver(head(STATUS_103));
  await pause();
  wire.deliver(joined(HEAD, BODY));
  await sending;
  const { sendingMs, waitingMs, receivingMs } = response;
  for (const ms of [sendingMs, waitingMs, receivingMs]) assert(ms >= 28, `${ms}`);
  assert(sendingMs + waitingMs + receivingMs <= performance.now() - from);
});

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

const LONG_BODY = new Uint8Array(200_000).map((_, i) => i * 31);
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
    const put = { method: "PUT", headers: headers as [string, string][], body: LONG_BODY };
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
    assertEquals(first.body, LONG_BODY);
    assert(first.bytesSent > LONG_BODY.length && first.bytesReceived > LONG_BODY.length);
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
        const response = await client.send(url, { method: "POST", body: LONG_BODY });
        assertEquals([response.status, response.error], [201, undefined], response.message);
        assertEquals(response.body, LONG_BODY);
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
