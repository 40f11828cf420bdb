import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { Agent, request as nodeRequest } from "node:http";
import { KnownHeads } from "../../src/http/connection.ts";
import type { ErrorKind, ResponseNeeds } from "../../src/http/sender.ts";
import {
  cutOffsets,
  damagedResponses,
  fractions,
  responses,
} from "../builders/generated_responses.ts";
import { openClient } from "../support/http_client.ts";
import { bytesOf, type Feeding, type Parsed, parsed, textOf } from "../support/parsed.ts";
import { wireServer } from "../support/wire_server.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const HELLO = `${OK}Content-Length: 5\r\n\r\nhello`;

/** Valid responses, and the expected result of parsing them. */
const VALID: Record<string, [text: string, expected: Partial<Parsed>, feeding?: Feeding]> = {
  "a body with a content length": [HELLO, { status: 200, body: "hello", reusable: true }],
  "a response without a reason phrase or body": [
    "HTTP/1.1 200\r\ncontent-length:0\r\n\r\n",
    { status: 200, body: "", headers: [["content-length", "0"]] },
  ],
  "an empty reason phrase": ["HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", {
    status: 404,
    reusable: true,
  }],
  "bare line feeds": ["HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", { body: "hi", reusable: true }],
  "a chunked body": [
    `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`,
    { body: "hello!", bodySize: 6, reusable: true },
  ],
  "chunk extensions and trailers": [
    `${OK}Transfer-Encoding: Chunked\r\n\r\n005;a="b;c" \r\nhello\r\nA ;x\r\n0123456789\r\n000\r\nT: 1\r\nU: 2\r\n\r\n`,
    { body: "hello0123456789", headers: [["transfer-encoding", "Chunked"]], reusable: true },
  ],
  "a body that ends when the connection closes": [`${OK}\r\nto the end`, {
    body: "to the end",
    reusable: false,
  }, { closes: true }],
  "HTTP/1.0": ["HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", { body: "x", reusable: false }],
  "HTTP/1.0 with keep-alive": [
    "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx",
    { body: "x", reusable: true },
  ],
  "`Connection: close`": [
    `${OK}Connection: foo , Close\r\nContent-Length: 0\r\n\r\n`,
    { reusable: false },
  ],
  "`Connection: close` together with keep-alive": [
    `${OK}Connection: close\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n`,
    { reusable: false },
  ],
  "bytes after the end, if the connection closes": [
    `${OK}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n0\r\n\r\n`,
    { body: "x", reusable: false },
  ],
  "a response to HEAD": [`${OK}Content-Length: 500\r\n\r\n`, {
    status: 200,
    reusable: true,
    bodySize: 0,
  }, {
    method: "HEAD",
  }],
  "a chunked response to HEAD": [`${OK}Transfer-Encoding: chunked\r\n\r\n`, { reusable: true }, {
    method: "HEAD",
  }],
  "status 204": ["HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", {
    status: 204,
    reusable: true,
  }],
  "status 304": ["HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", {
    status: 304,
    reusable: true,
  }],
  "status 101": ["HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", { status: 101, reusable: false }],
  "interim responses": [
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\nContent-Length: 9\r\n\r\n${HELLO}`,
    { status: 200, body: "hello", headers: [["content-length", "5"]], reusable: true },
  ],
  "a repeated Content-Length": [
    `${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`,
    { body: "hello", reusable: true },
  ],
  "equal lengths in one Content-Length": [
    `${OK}Content-Length: 5, 5 ,5\r\n\r\nhello`,
    { body: "hello", reusable: true },
  ],
  "a response with both Content-Length and Transfer-Encoding": [
    `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    { body: "x", reusable: false },
  ],
  "a chunked body in HTTP/1.0": [
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    { body: "x", reusable: false },
  ],
  "repeated headers": [
    `${OK}Set-Cookie: a=1\r\nset-cookie:\t b=2 \t\r\nContent-Length: 0\r\nX: \r\n\r\n`,
    { headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"], ["content-length", "0"], ["x", ""]] },
  ],
  "a folded header": [
    `${OK}X: a\r\n  b\r\n\tc\r\nContent-Length: 0\r\n\r\n`,
    { headers: [["x", "a b c"], ["content-length", "0"]] },
  ],
  "UTF-8 and Latin-1 values": [
    `${OK}A: \xc3\xa9\r\nB: \xe9\r\nContent-Length: 0\r\n\r\n`,
    { headers: [["a", "é"], ["b", "é"], ["content-length", "0"]] },
  ],
};

for (const [name, [text, expected, feeding]] of Object.entries(VALID)) {
  Deno.test(`parser: parses ${name}, regardless of how the input is chunked`, () => {
    const bytes = bytesOf(text);
    const whole = parsed(bytes, feeding);
    assertEquals(whole.error, undefined);
    assert(whole.done);
    assertEquals({ ...whole, ...expected }, whole);
    for (let cut = 1; cut < bytes.length; cut++) {
      assertEquals(parsed(bytes, { ...feeding, cuts: [cut] }), whole, `cut at ${cut}`);
    }
    const cuts = Array.from(bytes, (_, i) => i);
    assertEquals(parsed(bytes, { ...feeding, cuts }), whole, "byte by byte");
  });
}

/** Invalid responses. */
const INVALID: Record<string, string> = {
  "garbage": "\x16\x03\x01\x02",
  "another protocol": "SSH-2.0-OpenSSH_9.6\r\n",
  "an empty line first": `\r\n${HELLO}`,
  "HTTP/2 in the status line": "HTTP/2.0 200 OK\r\n\r\n",
  "a status of two digits": "HTTP/1.1 20 OK\r\n\r\n",
  "a status of four digits": "HTTP/1.1 2000 OK\r\n\r\n",
  "a status below 100": "HTTP/1.1 099 OK\r\n\r\n",
  "a header without a colon": `${OK}nonsense\r\n\r\n`,
  "a header without a name": `${OK}: x\r\n\r\n`,
  "a space before the colon": `${OK}Content-Length : 5\r\n\r\n`,
  "a lone carriage return": `${OK}X: a\rb\r\n\r\n`,
  "NUL in a header": `${OK}X: a\0b\r\n\r\n`,
  "two different Content-Length": `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
  "two different lengths in one Content-Length": `${OK}Content-Length: 5, 6\r\n\r\nhello`,
  "a Content-Length that ends with a comma": `${OK}Content-Length: 5,\r\n\r\nhello`,
  "a negative Content-Length": `${OK}Content-Length: -5\r\n\r\nhello`,
  "an empty Content-Length": `${OK}Content-Length:\r\n\r\nhello`,
  "an enormous Content-Length": `${OK}Content-Length: 99999999999999999999\r\n\r\n`,
  "a transfer coding other than chunked": `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`,
  "a repeated Transfer-Encoding":
    `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`,
  "a folded Content-Length": `${OK}Content-Length: 5\r\n 0\r\n\r\nhello`,
  "a folded line before any header": `${OK} X: 1\r\n\r\n`,
  "a chunk without a size": `${OK}Transfer-Encoding: chunked\r\n\r\n\r\nhello`,
  "an invalid chunk size": `${OK}Transfer-Encoding: chunked\r\n\r\n5x\r\nhello`,
  "an enormous chunk": `${OK}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
  "a chunk longer than its size": `${OK}Transfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n`,
  "bytes after the end": `${HELLO}x`,
  "a second response": HELLO + HELLO,
};

for (const [name, text] of Object.entries(INVALID)) {
  Deno.test(`parser: rejects ${name}`, () => {
    const bytes = bytesOf(text);
    assertEquals(parsed(bytes).error, "protocol");
    assertEquals(parsed(bytes, { cuts: Array.from(bytes, (_, i) => i) }).error, "protocol");
  });
}

Deno.test("parser: reports an early end of the connection as `closed`", () => {
  const bytes = bytesOf(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`);
  for (let size = 0; size < bytes.length; size++) {
    assertEquals(parsed(bytes.subarray(0, size), { closes: true }).error, "closed", `at ${size}`);
  }
});

Deno.test("parser: limits the size of headers, bodies and interim responses", () => {
  const limits = { headers: 200, body: 10 };
  const error = (text: string, needs = { headers: true, body: true }) =>
    parsed(bytesOf(text), { limits, needs }).error;
  const long = "x".repeat(300);
  assertEquals(error(long), "too_large");
  assertEquals(error(`${OK}A: ${long}\r\n\r\n`), "too_large");
  assertEquals(error("HTTP/1.1 100 Continue\r\n\r\n".repeat(20)), "too_large");
  assertEquals(error(`${OK}Content-Length: 11\r\n\r\n`), "too_large");
  assertEquals(error(`${OK}\r\n0123456789a`), "too_large");
  const chunked = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
  assertEquals(error(`${chunked}b\r\n`), "too_large");
  assertEquals(error(`${chunked}6\r\n012345\r\n6\r\n`), "too_large");
  assertEquals(error(`${chunked}1;${long}`), "too_large");
  assertEquals(error(`${chunked}0\r\nT: ${long}`), "too_large");
  assertEquals(
    error(`${OK}Content-Length: 5000\r\n\r\n`, { headers: false, body: false }),
    undefined,
  );
});

Deno.test("parser: counts but does not keep a body that is not needed", () => {
  const text = `${OK}Server: x\r\nSet-Cookie: a=1\r\nLocation: /\r\nContent-Type: t/x\r\n` +
    "Content-Encoding: br\r\nContent-Length: 5\r\n\r\nhello";
  const { headers, body, bodySize } = parsed(bytesOf(text), {
    needs: { headers: false, body: false },
  });
  assertEquals(headers, [["set-cookie", "a=1"], ["location", "/"]]);
  assertEquals([body, bodySize], ["", 5]);
  const withBody = parsed(bytesOf(text), { needs: { headers: false, body: true } });
  assertEquals(withBody.headers.slice(2), [["content-type", "t/x"], ["content-encoding", "br"]]);
  assertEquals(withBody.body, "hello");
});

Deno.test("parser: keeps the headers and the first bytes of a failed response", () => {
  const needs = { headers: false, body: false };
  const response = (status: string, body: string) =>
    bytesOf(`HTTP/1.1 ${status}\r\nX: 1\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const long = "0123456789".repeat(2_000);
  for (const cuts of [[], [40, 50, 9_000]]) {
    const kept = parsed(response("503 Busy", long), { needs, cuts });
    assertEquals([kept.excerpt, kept.body, kept.bodySize], [long.slice(0, 8_192), "", 20_000]);
    assertEquals(kept.headers, [["x", "1"], ["content-length", "20000"]]);
  }
  const chunked =
    "HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
  assertEquals(parsed(bytesOf(chunked), { needs }).excerpt, "abc");
  const good = parsed(response("200 OK", "x"), { needs });
  assertEquals([good.excerpt, good.headers], ["", []]);
});

Deno.test("parser: keeps the next responses in full while `sampleNext` is above 0", () => {
  const response = (n: number) =>
    bytesOf(`HTTP/1.1 200 OK\r\nX-N: ${n}\r\nContent-Length: 5\r\n\r\nbody${n}`);
  const needs: ResponseNeeds = { headers: false, body: false, sampleNext: 2 };
  const excerpts = [1, 2, 3, 4].map((n) => {
    const { excerpt, headers, body } = parsed(response(n), { needs });
    assertEquals(body, "");
    return [excerpt, headers.length];
  });
  assertEquals(excerpts, [["body1", 2], ["body2", 2], ["", 0], ["", 0]]);
  assertEquals(needs.sampleNext, 0);
});

const EXPECTED: readonly (ErrorKind | undefined)[] = [undefined, "protocol", "closed", "too_large"];

Deno.test("parser: parses generated responses correctly, regardless of how the input is chunked", () => {
  fc.assert(
    fc.property(responses, fractions, (response, fractions) => {
      const bytes = bytesOf(response.text);
      const feeding = { cuts: cutOffsets(fractions, bytes.length), closes: response.closes };
      assertEquals(parsed(bytes, feeding), {
        error: undefined,
        done: true,
        reusable: !response.closes,
        status: response.status,
        headers: response.headers,
        body: response.body,
        excerpt: "",
        bodySize: response.body.length,
      });
    }),
  );
});

Deno.test("parser: gives the same result for a damaged response, regardless of how the input is chunked", () => {
  const limits = { headers: 2_000, body: 1_000 };
  fc.assert(
    fc.property(damagedResponses, fractions, ({ damaged }, fractions) => {
      const bytes = bytesOf(damaged);
      const whole = parsed(bytes, { limits, closes: true });
      assert(EXPECTED.includes(whole.error), whole.error);
      assert(whole.done || whole.error !== undefined);
      const cuts = cutOffsets(fractions, bytes.length);
      assertEquals(parsed(bytes, { limits, closes: true, cuts }), whole);
      if (whole.error === "too_large") return;
      const needs = { headers: false, body: false };
      const { error, status, bodySize } = parsed(bytes, { limits, closes: true, cuts, needs });
      assertEquals([error, status, bodySize], [whole.error, whole.status, whole.bodySize]);
    }),
  );
});

Deno.test("parser: earlier responses do not affect the result", () => {
  const closes = true;
  fc.assert(
    fc.property(
      damagedResponses,
      fractions,
      fc.constantFrom("GET", "HEAD"),
      (pair, fractions, method) => {
        const heads = new KnownHeads();
        const known = bytesOf(pair.response.text);
        parsed(known, { closes, heads });
        for (const bytes of [known, bytesOf(pair.damaged)]) {
          for (const cuts of [[], cutOffsets(fractions, bytes.length)]) {
            const uncached = parsed(bytes, { closes, cuts, method });
            assertEquals(parsed(bytes, { closes, cuts, method, heads }), uncached);
          }
        }
      },
    ),
  );
});

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
