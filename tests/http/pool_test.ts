import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { freePort } from "../../scripts/local_port.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { type Client, openClient } from "../support/http_client.ts";
import { http2Server, tlsOptions } from "../support/http2_server.ts";
import { serverPair } from "../support/test_certificates.ts";
import { singleScenarioPlan } from "../support/run_in_virtual_time.ts";
import { OK, respondToAll, type WireServer, wireServer } from "../support/wire_server.ts";

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
