import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { Agent, request as nodeRequest } from "node:http";
import { cutOffsets, fractions, responses } from "../builders/generated_responses.ts";
import { openClient } from "../support/http_client.ts";
import { textOf } from "../support/parsed.ts";
import { wireServer } from "../support/wire_server.ts";

/** The parts of a response that are compared between `HttpSession` and `node:http`. */
interface ClientResponse {
  readonly status: number | undefined;
  readonly headers: [string, string][];
  readonly body: string;
}

const SAMPLES = fc.sample(fc.tuple(responses, fractions));

Deno.test("client: parses generated responses from a socket in the same way as `node:http`", async () => {
  await using server = wireServer(async (peer) => {
    for (;;) {
      const index = /^GET \/(\d+)/.exec(await peer.head())?.[1];
      if (index === undefined) return;
      const [sample, fractions] = SAMPLES[Number(index)];
      let from = 0;
      for (const to of [...cutOffsets(fractions, sample.text.length), sample.text.length]) {
        await peer.write(sample.text.slice(from, to));
        from = to;
      }
      if (sample.closes) return;
    }
  });
  using client = openClient();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const [index, [sample]] of SAMPLES.entries()) {
    const url = server.url + index;
    const response = await client.send(url);
    assertEquals(response.error, undefined, response.message);
    const { status, headers, body } = response;
    const expected = await readByNode(url, agent);
    assertEquals({ status, headers, body: textOf(body) }, expected, sample.text);
  }
  agent.destroy();
});

function readByNode(url: string, agent: Agent): Promise<ClientResponse> {
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
