import { assert, assertEquals } from "@std/assert";
import type { HttpResponse } from "../../src/http/sender.ts";
import { openClient, testOptions } from "../support/http_client.ts";
import { goaway, http2Requests, reset, wholeResponse } from "../support/raw_http2.ts";
import { OK, type Peer, wireServer } from "../support/wire_server.ts";

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
