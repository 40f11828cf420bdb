import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { Agent, request as nodeRequest } from "node:http";
import { networkSender } from "../../../src/engine/http/network_sender.ts";
import { newResponse } from "../../../src/engine/http/new_response.ts";
import { answers, cutsOf, fractions } from "../../support/answers.ts";
import { disposable, testOptions, testRequest } from "../../support/http_client.ts";
import { textOf } from "../../support/parsed.ts";
import { wireServer } from "../../support/wire_server.ts";

/** What a client made of an answer. */
interface Seen {
  readonly status: number | undefined;
  readonly headers: [string, string][];
  readonly body: string;
}

const SAMPLES = fc.sample(fc.tuple(answers, fractions), { numRuns: 120, seed: 1 });

Deno.test("client: over a socket it sees what node:http sees", async () => {
  await using server = wireServer(async (peer) => {
    for (;;) {
      const index = /^GET \/(\d+)/.exec(await peer.head())?.[1];
      if (index === undefined) return;
      const [answer, fractions] = SAMPLES[Number(index)];
      let from = 0;
      for (const to of [...cutsOf(fractions, answer.text.length), answer.text.length]) {
        await peer.write(answer.text.slice(from, to));
        from = to;
      }
      if (answer.closes) return;
    }
  });
  using sender = disposable(networkSender(testOptions()));
  const session = sender.open();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reply = newResponse();
  for (const [index, [answer]] of SAMPLES.entries()) {
    const url = `http://127.0.0.1:${server.port}/${index}`;
    await session.send(testRequest(url), reply);
    assertEquals(reply.error, undefined, reply.message);
    const { status, headers, body } = reply;
    const theirs = await byNode(url, agent);
    assertEquals({ status, headers, body: textOf(body) }, theirs, answer.text);
  }
  agent.destroy();
});

function byNode(url: string, agent: Agent): Promise<Seen> {
  return new Promise((resolve, reject) => {
    nodeRequest(url, { agent }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status, rawHeaders: raw } = response;
        const headers = raw.flatMap((name, i): [string, string][] =>
          i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1]]] : []
        );
        resolve({ status, headers, body: textOf(Buffer.concat(chunks)) });
      });
    }).on("error", reject).end();
  });
}
