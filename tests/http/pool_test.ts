import { assert, assertEquals } from "@std/assert";
import { setImmediate } from "node:timers";
import { freePort } from "../../scripts/local_port.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { NetworkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { http2Server, tlsOptions } from "../support/http2_server.ts";
import { type Client, openClient, testOptions } from "../support/http_client.ts";
import { bytesOf } from "../support/parsed.ts";
import {
  goaway,
  head,
  http2Requests,
  joined,
  reset,
  STATUS_103,
  wholeResponse,
} from "../support/raw_http2.ts";
import { singleScenarioPlan } from "../support/run_in_virtual_time.ts";
import { serverPair } from "../support/test_certificates.ts";
import {
  OK,
  type Peer,
  respondToAll,
  type WireServer,
  wireServer,
} from "../support/wire_server.ts";

/**
 * Starts a server that delays the responses to the first `count` requests until all have arrived.
 */
function meetingServer(count: number, tls?: Deno.TlsCertifiedKeyPem): WireServer {
  const { promise: met, resolve: meet } = Promise.withResolvers<void>();
  let arrived = 0;
  return wireServer(async (peer) => {
    while (await peer.head() !== "") {
      if (++arrived === count) meet();
      await met;
      await peer.write(OK);
    }
  }, tls);
}

/** Starts an HTTP/2 server with TLS that responds with `ok`. */
const okServer = (secure = true) => http2Server(secure, (_, response) => void response.end("ok"));
const openAuto = () => openClient(tlsOptions({ version: "auto" }));

/** Sends `count` requests at the same time, each over its own branch, as a `parallel` step does. */
async function sendBranches(client: Client, count: number, url: string): Promise<HttpResponse[]> {
  const branches = Array.from({ length: count }, () => client.session.branch());
  const responses = await Promise.all(branches.map((branch) => client.send(url, {}, branch)));
  for (const branch of branches) branch.close();
  return responses;
}

function assertOk(responses: readonly HttpResponse[]): void {
  for (const { status, error, message } of responses) {
    assertEquals([status, error], [200, undefined], message);
  }
}

Deno.test("pool: branches reuse the connections of their session", async () => {
  await using server = wireServer(respondToAll);
  using client = openClient();
  for (let iteration = 0; iteration < 10; iteration++) {
    assertOk([await client.send(server.url)]);
    assertOk(await sendBranches(client, 3, server.url));
  }
  assertEquals(server.accepted, 3);
});

Deno.test("pool: opens as many connections for a `parallel` step as k6 does for `http.batch`", async () => {
  await using server = wireServer(respondToAll);
  await using http2 = await okServer();
  const sender = networkSender(tlsOptions({ version: "auto" }));
  for (const base_url of [server.url, http2.url]) {
    const page = { request: { url: "/" } };
    const flow = [page, { parallel: { branches: [[page], [page], [page]] } }];
    const { metrics } = await run(
      singleScenarioPlan({ executor: "per-vu-iterations", vus: 1, iterations: 10, flow }, {
        defaults: { http: { base_url } },
      }),
      { sender, readFile: () => new Uint8Array(), readEnv: () => undefined },
    );
    assertEquals((metrics.http_reqs as { count: number }).count, 40);
    assertEquals((metrics.http_req_failed as { value: number }).value, 0);
  }
  sender.close();
  assertEquals([server.accepted, http2.accepted], [3, 1]);
});

Deno.test("pool: keeps a sequential flow on one connection after branches have ended", async () => {
  const indexes: number[] = [];
  await using server = wireServer(async (peer) => {
    while (await peer.head() !== "") {
      indexes.push(peer.index);
      await peer.write(OK);
    }
  });
  using client = openClient();
  await sendBranches(client, 3, server.url);
  indexes.length = 0;
  for (let i = 0; i < 5; i++) await client.send(server.url);
  assertEquals(new Set(indexes).size, 1);
});

Deno.test("pool: opens at most six HTTP/1.1 connections to an origin and queues further requests", async () => {
  await using server = meetingServer(6);
  using client = openClient();
  const responses = await sendBranches(client, 20, server.url);
  assertOk(responses);
  assertEquals(server.accepted, 6);
  const waited = responses.filter(({ connectingMs }) => connectingMs === 0);
  assertEquals(waited.length, 14);
  assert(waited.every(({ blockedMs }) => blockedMs > 0));
});

Deno.test("pool: opens separate connections for each session and origin", async () => {
  await using server = wireServer(respondToAll);
  using client = openClient(tlsOptions({ hosts: { "b.test": "127.0.0.1" } }));
  assertOk([
    await client.send(server.url),
    await client.send(server.url, {}, client.open()),
    await client.send(`http://b.test:${server.port}/`, {}, client.session.branch()),
  ]);
  assertEquals(server.accepted, 3);
});

Deno.test("pool: applies the timeout to queued requests, which then leave the queue", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    await peer.head();
    await released;
    await peer.write(OK);
    await respondToAll(peer);
  });
  using client = openClient();
  const start = (timeoutMs = 60_000) =>
    client.send(server.url, { timeoutMs }, client.session.branch());
  const busy = Array.from({ length: 6 }, () => start());
  const [short, long] = [start(30), start()];
  assertEquals((await short).error, "timeout");
  release();
  assertOk([...await Promise.all(busy), await long]);
  assertEquals(server.accepted, 6);
});

Deno.test("pool: opens another connection after one has failed or been closed", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    if (peer.index < 6) return;
    await peer.write(OK);
    await respondToAll(peer);
  });
  using client = openClient();
  const responses = await sendBranches(client, 12, server.url);
  assertEquals(responses.filter(({ error }) => error === "closed").length, 6);
  assertEquals(responses.filter(({ status }) => status === 200).length, 6);
});

Deno.test("pool: replaces stale connections", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write(OK);
    if (peer.index >= 4) await respondToAll(peer);
  });
  using client = openClient();
  assertOk(await sendBranches(client, 4, server.url));
  assertOk([await client.send(server.url)]);
  assertOk(await sendBranches(client, 4, server.url));
});

Deno.test("pool: fails each request whose connection is refused", async () => {
  using client = openClient();
  for (let i = 0; i < 2; i++) {
    const responses = await sendBranches(client, 10, `http://127.0.0.1:${freePort()}/`);
    assertEquals(responses.map(({ error }) => error), Array(10).fill("refused"));
  }
});

Deno.test("pool: `close` cancels branches that are sending or waiting, and the session can be used again", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index >= 6) return respondToAll(peer);
    await peer.head();
    await peer.untilClosed();
  });
  using client = openClient();
  const sending = sendBranches(client, 9, server.url);
  while (server.accepted < 6) await new Promise((resolve) => setImmediate(resolve));
  client.session.close();
  assertEquals((await sending).map(({ error }) => error), Array(9).fill("cancelled"));
  assertOk([await client.send(server.url)]);
});

for (
  const [name, secure, version] of [
    ["by ALPN", true, "auto"],
    ["by prior knowledge", false, "http2"],
  ] as const
) {
  Deno.test(`pool: branches share one HTTP/2 connection, ${name}`, async () => {
    await using server = await okServer(secure);
    using client = openClient(tlsOptions({ version }));
    for (let iteration = 0; iteration < 10; iteration++) {
      assertOk(await sendBranches(client, 3, server.url));
      assertOk([await client.send(server.url)]);
    }
    assertEquals(server.accepted, 1);
  });
}

Deno.test("pool: sends HTTP/2 requests concurrently and counts each byte for only one of them", async () => {
  const pending: { end(text: string): void }[] = [];
  await using server = await http2Server(true, (_, response) => {
    pending.push(response);
    if (pending.length === 20) { for (const each of pending) each.end("x".repeat(1_000)); }
  });
  using client = openAuto();
  const responses = await sendBranches(client, 20, server.url);
  assertOk(responses);
  const received = responses.reduce((sum, response) => sum + response.bytesReceived, 0);
  assert(received > 20_000 && received < 30_000, `${received}`);
});

Deno.test("pool: times out an HTTP/2 request without affecting others on the connection", async () => {
  let finish = () => {};
  await using server = await http2Server(true, (request, response) => {
    if (request.url === "/late") finish = () => void response.end("ok");
    else if (request.url !== "/never") response.end("ok");
  });
  using client = openAuto();
  const send = (path: string, timeoutMs = 60_000) =>
    client.send(server.url + path, { timeoutMs }, client.session.branch());
  const late = send("late");
  assertEquals((await send("never", 60)).error, "timeout");
  assertOk([await send("")]);
  finish();
  assertOk([await late]);
  assertEquals(server.used, 1);
});

Deno.test("pool: branches share a new connection after an HTTP/2 server has closed the first", async () => {
  await using server = await http2Server(true, (request, response) => {
    if (request.url === "/gone") request.stream.session!.destroy();
    else response.end("ok");
  });
  using client = openAuto();
  assertOk(await sendBranches(client, 4, server.url));
  const gone = await client.send(`${server.url}gone`, { method: "POST" });
  assertEquals(gone.error, "reset", gone.message);
  assertOk(await sendBranches(client, 4, server.url));
  assertEquals(server.accepted, 2);
});

Deno.test("pool: does not open unused connections to a server that supports only HTTP/1.1", async () => {
  await using server = meetingServer(4, serverPair());
  using client = openAuto();
  assertOk(await sendBranches(client, 4, server.url));
  assertEquals(server.accepted, 4);
});

Deno.test("pool: concurrent sessions negotiate the protocol on the connections that they use", async () => {
  await using server = await okServer();
  using client = openAuto();
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => client.send(server.url, {}, client.open())),
  );
  assertOk(responses);
  assertEquals([server.accepted, server.used], [20, 20]);
  for (const { connectingMs, tlsMs } of responses) {
    assert(connectingMs > 0 && tlsMs > 0, `${connectingMs} ${tlsMs}`);
  }
});

Deno.test("pool: concurrent sessions report that the server does not speak TLS", async () => {
  await using server = wireServer(async (peer) => {
    await peer.write("no TLS\r\n");
    await peer.untilClosed();
  });
  using client = openAuto();
  const url = server.url.replace("http", "https");
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => client.send(url, {}, client.open())),
  );
  assertEquals(responses.map(({ error }) => error), Array(5).fill("tls"));
  assertEquals(server.accepted, 5);
});

const REFUSED_STREAM = 7;
const body = new Uint8Array(500);

/** Sends POST requests one after another over HTTP/2, and returns the responses. */
async function sendAll(
  script: (peer: Peer) => Promise<void>,
  count: number,
): Promise<{ responses: HttpResponse[]; accepted: number }> {
  await using server = wireServer(script);
  using client = openClient(testOptions({ version: "http2" }));
  const responses: HttpResponse[] = [];
  for (let i = 0; i < count; i++) {
    responses.push(await client.send(server.url, { method: "POST", body }));
  }
  return { responses, accepted: server.accepted };
}

/** Refuses the first stream of the first `refused` connections. */
function refuse(refused: number, refusal: (stream: number) => Uint8Array) {
  return async (peer: Peer) => {
    for await (const stream of http2Requests(peer)) {
      const isRefused = peer.index < refused;
      await peer.write(isRefused ? refusal(stream) : wholeResponse(stream, "ok"));
    }
  };
}

const REFUSALS: Record<string, (stream: number) => Uint8Array> = {
  "a stream that the server refuses": (stream) => reset(stream, REFUSED_STREAM),
  "a stream above the last ID of GOAWAY": () => goaway(0),
};

for (const [name, refusal] of Object.entries(REFUSALS)) {
  Deno.test(`retries: sends ${name} again on new connections, at most three times`, async () => {
    for (const refused of [0, 1, 3]) {
      const { responses, accepted } = await sendAll(refuse(refused, refusal), 2);
      const [first, second] = responses;
      assertEquals([first.error, first.status, first.retries], [undefined, 200, refused]);
      assert(first.bytesSent > body.length * (refused + 1), `${first.bytesSent}`);
      assertEquals([second.error, second.retries, accepted], [undefined, 0, refused + 1]);
    }
    const { responses: [failed], accepted } = await sendAll(refuse(4, refusal), 1);
    assertEquals([failed.status, failed.retries, accepted], [0, 3, 4]);
    assert(failed.error === "reset" || failed.error === "closed", failed.error);
  });
}

Deno.test("retries: does not send a stream up to the last ID of GOAWAY again", async () => {
  const { responses: [response], accepted } = await sendAll(async (peer) => {
    for await (const stream of http2Requests(peer)) {
      await peer.write(goaway(stream));
      return;
    }
  }, 1);
  assertEquals([response.error, response.retries, accepted], ["closed", 0, 1]);
});

Deno.test("retries: a retry over HTTP/1.1 counts, and its bytes and time are included", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write(OK);
    if (await peer.head() === "" || peer.index > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  using client = openClient();
  const [first, second] = [await client.send(server.url), await client.send(server.url)];
  assertEquals([first.retries, second.retries, second.error], [0, 1, undefined]);
  assertEquals(second.bytesSent, 2 * first.bytesSent);
  assert(second.waitingMs >= 19 && second.blockedMs >= 0, `${second.waitingMs}`);
});

/** Responses over HTTP/1.1, and whether the end of the connection is the end of the body. */
const RESPONSES: Record<string, [text: string, isEndedByClose?: true]> = {
  "a response with a length": ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n012345678"],
  "a response without a body": ["HTTP/1.1 204 OK\r\n\r\n"],
  "a chunked response": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n",
  ],
  "interim responses": [
    "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
  ],
  "a response until the end of the connection": ["HTTP/1.1 200 OK\r\n\r\nabc", true],
};

for (const tls of ["", "TLS", "TLS over Node's sockets"]) {
  for (const [name, [text, isEndedByClose]] of Object.entries(RESPONSES)) {
    Deno.test(`cut: HTTP/1.1 ${tls}, ${name} is never a success if a byte is missing`, async () => {
      const bytes = bytesOf(text);
      const wholeHead = text.indexOf("\r\n\r\n") + 4;
      await forEachCut(bytes, answerHttp1, {
        version: "http1",
        tls,
        isSuccess: (size) => isEndedByClose ? size >= wholeHead : size === bytes.length,
      });
    });
  }
}

// Deno's Node sockets do not report a missing `close_notify`.
Deno.test("cut: HTTP/1.1 over TLS, the end of the connection without `close_notify` is not the end of the body", async () => {
  for (const isCut of [false, true]) {
    const { promise: received, resolve } = Promise.withResolvers<void>();
    await using server = wireServer(async (peer) => {
      await peer.head();
      await peer.write("HTTP/1.1 200 OK\r\n\r\nabc");
      if (isCut) await received;
    }, serverPair());
    await using relay = wireServer(async (peer) => {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      await Promise.race([peer.forwardTo(conn), isCut ? received : new Promise(() => {})]);
      conn.close();
    });
    using client = openClient(tlsOptions({ version: "http1" }));
    const stream = { push: (bytes: Uint8Array) => (bytes.at(-1) === 99 && resolve(), false) };
    const response = await client.send(`https://127.0.0.1:${relay.port}/`, { stream });
    assertEquals(response.error, isCut ? "closed" : undefined, response.message);
  }
});

for (const tls of ["", "TLS", "TLS over Node's sockets"]) {
  Deno.test(`cut: HTTP/2 ${tls}, a response is never a success if a byte is missing`, async () => {
    const bytes = joined(head(STATUS_103), wholeResponse(1, "hello"));
    await forEachCut(bytes, answerHttp2, {
      version: "http2",
      tls,
      isSuccess: (size) => size === bytes.length,
    });
  });
}

interface Cuts {
  readonly version: NetworkOptions["version"];
  /** Empty for plain TCP. */
  readonly tls: string;
  /** Reports whether the first `size` bytes of the response, and a closed connection, suffice. */
  isSuccess(size: number): boolean;
}

async function forEachCut(
  bytes: Uint8Array,
  answer: (bytes: Uint8Array) => (peer: Peer) => Promise<void>,
  { version, tls, isSuccess }: Cuts,
): Promise<void> {
  for (let size = 0; size <= bytes.length; size++) {
    const part = bytes.subarray(0, size);
    const { error, message } = await exchange(answer(part), { version, tls });
    assertEquals(error === undefined, isSuccess(size), `${size} of ${bytes.length}: ${message}`);
  }
}

function answerHttp1(bytes: Uint8Array): (peer: Peer) => Promise<void> {
  return async (peer) => {
    await peer.head();
    await peer.write(bytes);
  };
}

function answerHttp2(bytes: Uint8Array): (peer: Peer) => Promise<void> {
  return async (peer) => {
    for await (const _stream of http2Requests(peer)) {
      await peer.write(bytes);
      // The client's acknowledgment must not reset the connection before it has read everything.
      await Promise.race([peer.body(9), new Promise((resolve) => setTimeout(resolve, 5))]);
      return;
    }
  };
}

/** Sends a POST request to a server that runs `script`, and returns the response. */
async function exchange(
  script: (peer: Peer) => Promise<void>,
  { version, tls = "" }: Partial<Cuts>,
): Promise<HttpResponse> {
  const pair = { ...serverPair(), alpnProtocols: [version === "http2" ? "h2" : "http/1.1"] };
  await using server = wireServer(script, tls === "" ? undefined : pair);
  const options = tlsOptions({ version });
  const insecureSkipVerify = tls.includes("Node");
  using client = openClient({ ...options, tls: { ...options.tls, insecureSkipVerify } });
  return await client.send(server.url, { method: "POST" });
}
