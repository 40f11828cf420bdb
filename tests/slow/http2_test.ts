import { assert, assertEquals } from "@std/assert";
import { HttpResponse } from "../../src/http/sender.ts";
import { openClient, testOptions, testRequest } from "../support/http_client.ts";
import { FRAME, joined, settings, wholeResponse } from "../support/raw_http2.ts";
import { http2Server } from "../support/http2_server.ts";
import { type Peer, wireServer } from "../support/wire_server.ts";

const GIB = 1024 ** 3;

Deno.test("http2: one connection receives 2 GiB", async () => {
  const chunk = new Uint8Array(1024 * 1024);
  await using server = await http2Server(false, (_, response) => {
    let left = 2 * GIB / chunk.length;
    const write = () => {
      while (left > 0) if (left-- > 0 && !response.write(chunk)) return;
      response.end();
    };
    response.on("drain", write);
    write();
  });
  using client = openClient(testOptions({ version: "http2" }));
  const needs = { headers: false, body: false };
  const response = await client.send(server.url, { needs, timeoutMs: 600_000 });
  assertEquals([response.error, response.bodySize], [undefined, 2 * GIB], response.message);
  assert(response.bytesReceived > 2 * GIB);
});

Deno.test("http2: one connection sends a million requests", async () => {
  const count = 1_000_000;
  const streams = 100;
  await using server = wireServer(respondToAll);
  using client = openClient(testOptions({ version: "http2" }));
  const request = testRequest(server.url, { needs: { headers: false, body: false } });
  const totals = { requests: 0, bodySize: 0 };
  await Promise.all(Array.from({ length: streams }, async () => {
    const branch = client.session.branch();
    const response = new HttpResponse();
    for (let i = 0; i < count / streams; i++) {
      await branch.send(request, response);
      if (response.error !== undefined) throw new Error(response.message);
      totals.requests++;
      totals.bodySize += response.bodySize;
    }
  }));
  assertEquals(totals, { requests: count, bodySize: 2 * count });
  assertEquals(server.accepted, 1);
});

/** Responds to each request that has no body. */
async function respondToAll(peer: Peer): Promise<void> {
  await peer.body(24);
  await peer.write(settings());
  const template = wholeResponse(0, "ok");
  const bodyAt = template.length - 11;
  for (let rest = new Uint8Array(0);;) {
    const more = await peer.some();
    if (more.length === 0) return;
    const bytes = joined(rest, more);
    const view = new DataView(bytes.buffer);
    const responses: Uint8Array[] = [];
    let at = 0;
    for (let end = 0; at + 9 <= bytes.length; at = end) {
      end = at + 9 + (view.getUint32(at) >>> 8);
      if (end > bytes.length) break;
      if (bytes[at + 3] !== FRAME.headers) continue;
      const response = template.slice();
      response.set(bytes.subarray(at + 5, at + 9), 5);
      response.set(bytes.subarray(at + 5, at + 9), bodyAt + 5);
      responses.push(response);
    }
    rest = bytes.slice(at);
    await peer.write(joined(...responses));
  }
}
