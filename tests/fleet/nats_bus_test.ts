import { assert, assertEquals } from "@std/assert";
import { connectNats, limitPeer } from "../../src/fleet/nats_bus.ts";
import { textOf } from "../support/parsed.ts";
import { type Peer, wireServer } from "../support/wire_server.ts";

const INFO = JSON.stringify({
  ...{ server_id: "x", server_name: "x", version: "2.10.0", proto: 1, go: "go1" },
  ...{ host: "127.0.0.1", port: 4222, headers: true, max_payload: 1_048_576, client_id: 1 },
});

/** Runs `flood` after a client has connected, as a NATS server does. */
async function withServer(flood: (peer: Peer) => Promise<void>): Promise<void> {
  const done = Promise.withResolvers<void>();
  await using server = wireServer(async (peer) => {
    await peer.write(`INFO ${INFO}\r\n`);
    for (let text = ""; !text.includes("PING\r\n");) text += textOf(await peer.some());
    await peer.write("PONG\r\n");
    if (peer.index === 0) await flood(peer).then(done.resolve, done.reject);
  });
  const bus = await connectNats({
    ...{ server: `127.0.0.1:${server.port}`, tls: false, files: {}, run: "r" },
  });
  try {
    bus.subscribe("rehearse.r.all", () => {});
    await done.promise;
  } finally {
    await bus.close();
  }
}

Deno.test("the bus keeps at most one unsent response to the pings of a server", () => {
  const sent: (() => void)[] = [];
  const socket = { write: (_: string, done: () => void) => void sent.push(done), destroy() {} };
  const protocol = { transport: { socket, yields: [] }, processPing() {} };
  clearInterval(limitPeer({ protocol }));
  for (let i = 0; i < 1_000; i++) protocol.processPing();
  assertEquals(sent.length, 1);
  sent[0]();
  protocol.processPing();
  assertEquals(sent.length, 2);
});

Deno.test("the bus responds to the pings of a server", () =>
  withServer(async (peer) => {
    await peer.write("PING\r\n");
    for (let text = ""; !text.includes("PONG\r\n");) text += textOf(await peer.some());
  }));

Deno.test("the bus closes a connection whose message does not end", () =>
  withServer(async (peer) => {
    await peer.write("MSG rehearse.r.all 1 99999999999\r\n");
    const chunk = new Uint8Array(64 * 1024);
    let sent = 0;
    try {
      while (sent < 1e9) {
        await peer.write(chunk);
        sent += chunk.length;
      }
    } catch {
      // The client closed the connection.
    }
    assert(sent < 1e9, `${sent} bytes`);
  }));
