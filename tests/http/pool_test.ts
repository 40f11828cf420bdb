import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { freePort } from "../../scripts/local_port.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { run } from "../../src/engine/run_plan.ts";
import {
  type HttpResponse,
  type HttpSession,
  newResponse,
  type Outgoing,
} from "../../src/http/sender.ts";
import { disposable, testOptions, testRequest } from "../support/http_client.ts";
import { http2Server, tlsOptions } from "../support/http2_server.ts";
import { serverPair } from "../support/test_certificates.ts";
import { singleScenarioPlan } from "../support/run_in_virtual_time.ts";
import { type Peer, type WireServer, wireServer } from "../support/wire_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

async function respondToAll(peer: Peer): Promise<void> {
  while (await peer.head() !== "") await peer.write(OK);
}

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

async function send(
  session: HttpSession,
  url: string,
  changes: Partial<Outgoing> = {},
): Promise<HttpResponse> {
  const response = newResponse();
  await session.send(testRequest(url, changes), response);
  return response;
}

/** Sends `count` requests at the same time, each over its own branch, as a `parallel` step does. */
async function sendBranches(
  session: HttpSession,
  count: number,
  url: string,
): Promise<HttpResponse[]> {
  const branches = Array.from({ length: count }, () => session.branch());
  const responses = await Promise.all(branches.map((branch) => send(branch, url)));
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
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const url = `http://127.0.0.1:${server.port}/`;
  for (let iteration = 0; iteration < 10; iteration++) {
    assertOk([await send(session, url)]);
    assertOk(await sendBranches(session, 3, url));
  }
  assertEquals(server.accepted, 3);
});

Deno.test("pool: opens as many connections for a `parallel` step as k6 does for `http.batch`", async () => {
  await using server = wireServer(respondToAll);
  await using http2 = await http2Server(true, (_, response) => void response.end("ok"));
  using sender = disposable(networkSender(tlsOptions({ version: "auto" })));
  for (const base_url of [`http://127.0.0.1:${server.port}`, `https://127.0.0.1:${http2.port}`]) {
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
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const url = `http://127.0.0.1:${server.port}/`;
  await sendBranches(session, 3, url);
  indexes.length = 0;
  for (let i = 0; i < 5; i++) await send(session, url);
  assertEquals(new Set(indexes).size, 1);
});

Deno.test("pool: opens at most six HTTP/1.1 connections to an origin and queues further requests", async () => {
  await using server = meetingServer(6);
  using sender = disposable(networkSender(testOptions()));
  const url = `http://127.0.0.1:${server.port}/`;
  const responses = await sendBranches(sender.open(), 20, url);
  assertOk(responses);
  assertEquals(server.accepted, 6);
  assertEquals(responses.filter(({ connectingMs }) => connectingMs > 0).length, 6);
  const waited = responses.filter(({ connectingMs }) => connectingMs === 0);
  assert(waited.every(({ blockedMs }) => blockedMs > 0));
});

Deno.test("pool: opens separate connections for each session and origin", async () => {
  await using server = wireServer(respondToAll);
  using sender = disposable(networkSender(testOptions({ hosts: { "b.test": "127.0.0.1" } })));
  const url = `http://127.0.0.1:${server.port}/`;
  const session = sender.open();
  assertOk([
    await send(session, url),
    await send(sender.open(), url),
    await send(session.branch(), `http://b.test:${server.port}/`),
  ]);
  assertEquals(server.accepted, 3);
});

Deno.test("pool: applies the timeout to queued requests, which then leave the queue", async () => {
  let accepted = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    accepted++;
    await peer.head();
    await released;
    await peer.write(OK);
    await respondToAll(peer);
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const url = `http://127.0.0.1:${server.port}/`;
  const busy = Array.from({ length: 6 }, () => send(session.branch(), url));
  const short = send(session.branch(), url, { timeoutMs: 30 });
  const long = send(session.branch(), url);
  assertEquals((await short).error, "timeout");
  release();
  assertOk([...await Promise.all(busy), await long]);
  assertEquals(accepted, 6);
});

Deno.test("pool: opens another connection after one has failed or been closed", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    if (peer.index < 6) return;
    await peer.write(OK);
    await respondToAll(peer);
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const url = `http://127.0.0.1:${server.port}/`;
  const responses = await sendBranches(session, 12, url);
  assertEquals(responses.filter(({ error }) => error === "closed").length, 6);
  assertEquals(responses.filter(({ status }) => status === 200).length, 6);
});

Deno.test("pool: replaces stale connections", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write(OK);
    if (peer.index < 4) return;
    await respondToAll(peer);
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const url = `http://127.0.0.1:${server.port}/`;
  assertOk(await sendBranches(session, 4, url));
  assertOk([await send(session, url)]);
  assertOk(await sendBranches(session, 4, url));
});

Deno.test("pool: fails each request whose connection is refused", async () => {
  const url = `http://127.0.0.1:${freePort()}/`;
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  for (let i = 0; i < 2; i++) {
    const responses = await sendBranches(session, 10, url);
    assertEquals(responses.map(({ error }) => error), Array(10).fill("refused"));
  }
});

Deno.test("pool: `close` cancels branches that are sending or waiting, and the session can be used again", async () => {
  await using server = wireServer(async (peer) => {
    if (peer.index >= 6) return respondToAll(peer);
    await peer.head();
    await peer.untilClosed();
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const url = `http://127.0.0.1:${server.port}/`;
  const sending = Array.from({ length: 9 }, () => send(session.branch(), url));
  while (server.accepted < 6) await new Promise((resolve) => setImmediate(resolve));
  session.close();
  assertEquals((await Promise.all(sending)).map(({ error }) => error), Array(9).fill("cancelled"));
  assertOk([await send(session, url)]);
});

for (const secure of [true, false]) {
  const name = secure ? "by ALPN" : "by prior knowledge";
  const version = secure ? "auto" : "http2";
  Deno.test(`pool: branches share one HTTP/2 connection, ${name}`, async () => {
    await using server = await http2Server(secure, (_, response) => void response.end("ok"));
    using sender = disposable(networkSender(tlsOptions({ version })));
    const session = sender.open();
    const url = `${secure ? "https" : "http"}://127.0.0.1:${server.port}/`;
    for (let iteration = 0; iteration < 10; iteration++) {
      assertOk(await sendBranches(session, 3, url));
      assertOk([await send(session, url)]);
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
  using sender = disposable(networkSender(tlsOptions({ version: "auto" })));
  const responses = await sendBranches(sender.open(), 20, `https://127.0.0.1:${server.port}/`);
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
  using sender = disposable(networkSender(tlsOptions({ version: "auto" })));
  const session = sender.open();
  const url = `https://127.0.0.1:${server.port}`;
  const late = send(session.branch(), `${url}/late`);
  assertEquals((await send(session.branch(), `${url}/never`, { timeoutMs: 60 })).error, "timeout");
  assertOk([await send(session.branch(), `${url}/`)]);
  finish();
  assertOk([await late]);
  assertEquals(server.used, 1);
});

Deno.test("pool: branches share a new connection after an HTTP/2 server has closed the first", async () => {
  await using server = await http2Server(true, (request, response) => {
    if (request.url === "/gone") request.stream.session!.destroy();
    else response.end("ok");
  });
  using sender = disposable(networkSender(tlsOptions({ version: "auto" })));
  const session = sender.open();
  const url = `https://127.0.0.1:${server.port}`;
  assertOk(await sendBranches(session, 4, `${url}/`));
  const gone = await send(session, `${url}/gone`, { method: "POST" });
  assertEquals(gone.error, "reset", gone.message);
  assertOk(await sendBranches(session, 4, `${url}/`));
  assertEquals(server.accepted, 2);
});

Deno.test("pool: does not open unused connections to a server that supports only HTTP/1.1", async () => {
  await using server = meetingServer(4, serverPair());
  using sender = disposable(networkSender(tlsOptions({ version: "auto" })));
  assertOk(await sendBranches(sender.open(), 4, `https://127.0.0.1:${server.port}/`));
  assertEquals(server.accepted, 4);
});

Deno.test("pool: concurrent sessions negotiate the protocol on the connections that they use", async () => {
  await using server = await http2Server(true, (_, response) => void response.end("ok"));
  using sender = disposable(networkSender(tlsOptions({ version: "auto" })));
  const url = `https://127.0.0.1:${server.port}/`;
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(sender.open(), url)));
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
  using sender = disposable(networkSender(tlsOptions({ version: "auto" })));
  const url = `https://127.0.0.1:${server.port}/`;
  const responses = await Promise.all(Array.from({ length: 5 }, () => send(sender.open(), url)));
  assertEquals(responses.map(({ error }) => error), Array(5).fill("tls"));
  assertEquals(server.accepted, 5);
});
