import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { KnownHeads, ReadBuffers, type Wire } from "../../src/http/connection.ts";
import { encodeForm, encodeMultipart } from "../../src/http/encode_body.ts";
import { encodeRequest } from "../../src/http/encode_request.ts";
import { Http1Connection } from "../../src/http/http1_connection.ts";
import { DEFAULT_LIMITS } from "../../src/http/network_options.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { testRequest } from "../support/http_client.ts";
import { bytesOf } from "../support/parsed.ts";

const OK = bytesOf("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

/** Wire whose reads wait until the test calls `arrive`. */
class ScriptedWire implements Wire {
  reads = 0;
  arrive: (bytes: Uint8Array) => void = () => {};

  read(into: Uint8Array): Promise<number | null> {
    this.reads++;
    return new Promise((resolve) => {
      this.arrive = (bytes) => {
        into.set(bytes);
        resolve(bytes.length);
      };
    });
  }

  write(bytes: Uint8Array): Promise<number> {
    return Promise.resolve(bytes.length);
  }

  close(): void {}
}

/** Replaces `performance.now` with a clock that only `advance` moves. */
class StoppedClock {
  readonly #now = performance.now;
  #time: number;

  constructor(time: number) {
    this.#time = time;
    performance.now = () => this.#time;
  }

  advance(ms: number): void {
    this.#time += ms;
  }

  restore(): void {
    performance.now = this.#now;
  }
}

function connectionOver(wire: Wire): Http1Connection {
  return new Http1Connection(wire, {
    limits: DEFAULT_LIMITS,
    keepAlive: true,
    buffers: new ReadBuffers(),
    heads: new KnownHeads(),
  });
}

const request = testRequest("http://a.test/", { headers: [["X-Long", "x".repeat(50)]] });

/** Waits until the connection has started at least `reads` reads. */
async function untilReading(wire: ScriptedWire, reads: number): Promise<void> {
  while (wire.reads < reads) await Promise.resolve();
}

Deno.test("connection: measures the sending, waiting and receiving times of an exchange", async () => {
  const clock = new StoppedClock(100);
  try {
    const wire = new ScriptedWire();
    const { write } = wire;
    wire.write = (bytes) => {
      clock.advance(2);
      return write.call(wire, bytes);
    };
    const response = new HttpResponse();
    const exchange = connectionOver(wire).exchange(request, response, 100);
    await untilReading(wire, 1);
    clock.advance(10);
    wire.arrive(OK.subarray(0, 20));
    await untilReading(wire, 2);
    clock.advance(5);
    wire.arrive(OK.subarray(20));
    await exchange;
    const { sendingMs, waitingMs, receivingMs } = response;
    assertEquals([sendingMs, waitingMs, receivingMs], [2, 10, 5]);
  } finally {
    clock.restore();
  }
});

function encoded(changes: Partial<Outgoing>, keepAlive = true): string {
  const request = testRequest("http://shop.test:8080/a?b", changes);
  return new TextDecoder().decode(encodeRequest(request, keepAlive));
}

Deno.test("request: writes the Host header and then all headers in order, with duplicates", () => {
  assertEquals(
    encoded({ headers: [["Accept", "*/*"], ["X-A", "1"], ["x-a", "é"], ["X-Empty", ""]] }),
    "GET /a?b HTTP/1.1\r\nHost: shop.test:8080\r\nAccept: */*\r\nX-A: 1\r\nx-a: é\r\n" +
      "X-Empty: \r\n\r\n",
  );
});

Deno.test("request: writes Content-Length if there is a body or the method usually has one", () => {
  const body = new TextEncoder().encode("é");
  assertEquals(
    encoded({ method: "POST", body }),
    "POST /a?b HTTP/1.1\r\nHost: shop.test:8080\r\nContent-Length: 2\r\n\r\né",
  );
  const hasZeroLength = (method: string) => encoded({ method }).includes("Content-Length: 0\r\n");
  assertEquals(["POST", "PUT", "PATCH"].map(hasZeroLength), [true, true, true]);
  assertEquals(["GET", "HEAD", "DELETE", "OPTIONS"].map(hasZeroLength), [
    false,
    false,
    false,
    false,
  ]);
});

Deno.test("request: a Host header replaces the default, and framing headers are ignored", () => {
  assertEquals(
    encoded({
      headers: [
        ["hOST", "other.test"],
        ["content-length", "99"],
        ["Transfer-Encoding", "chunked"],
        ["Connection", "keep-alive"],
      ],
    }, false),
    "GET /a?b HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n",
  );
});

Deno.test("form: an encoded form decodes to the same pairs", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
    assertEquals([...new URLSearchParams(encodeForm(pairs))], pairs);
  }));
});

Deno.test("multipart: an encoded body decodes to the same fields and files, even with special names", async () => {
  const parts = [
    { name: "a", content: "1\r\n2 é" },
    { name: 'q"q', content: new Uint8Array([0, 255, 13, 10]), filename: "ü.bin" },
    { name: "j", content: "{}", filename: "j.json", contentType: "application/json" },
  ];
  const form = await new Response(encodeMultipart(parts, "xyz").slice(), {
    headers: { "content-type": "multipart/form-data; boundary=xyz" },
  }).formData();
  assertEquals(form.get("a"), "1\r\n2 é");
  const file = form.get("q%22q") as File;
  assertEquals([file.name, file.type], ["ü.bin", "application/octet-stream"]);
  assertEquals(
    new Uint8Array(await file.arrayBuffer()),
    parts[1].content as Uint8Array<ArrayBuffer>,
  );
  assertEquals((form.get("j") as File).type, "application/json");
});
