import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { KnownHeads, ReadBuffers, type Wire } from "../../src/http/connection.ts";
import { encodeForm, encodeMultipart } from "../../src/http/encode_body.ts";
import { encodeRequest } from "../../src/http/encode_request.ts";
import { ExchangeError } from "../../src/http/exchange_error.ts";
import { Http1Connection } from "../../src/http/http1_connection.ts";
import { DEFAULT_LIMITS } from "../../src/http/network_options.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { testRequest } from "../support/http_client.ts";
import { bytesOf } from "../support/parsed.ts";

const OK = bytesOf("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

/** Wire that writes at most `step` bytes at a time. Reads wait until the test calls `arrive`. */
class ScriptedWire implements Wire {
  written = "";
  reads = 0;
  arrive: (bytes: Uint8Array | null) => void = () => {};
  readonly #step: number;

  constructor(step = Infinity) {
    this.#step = step;
  }

  read(into: Uint8Array): Promise<number | null> {
    this.reads++;
    return new Promise((resolve) => {
      this.arrive = (bytes) => {
        if (bytes) into.set(bytes);
        resolve(bytes && bytes.length);
      };
    });
  }

  write(bytes: Uint8Array): Promise<number> {
    const part = bytes.subarray(0, this.#step);
    this.written += new TextDecoder().decode(part);
    return Promise.resolve(part.length);
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

async function exchangeOnce(connection: Http1Connection, wire: ScriptedWire): Promise<void> {
  const exchange = connection.exchange(request, new HttpResponse(), performance.now());
  wire.arrive(OK);
  await exchange;
}

Deno.test("connection: continues after partial writes until the whole request is sent", async () => {
  const wire = new ScriptedWire(7);
  const connection = connectionOver(wire);
  await exchangeOnce(connection, wire);
  assertEquals(wire.written, new TextDecoder().decode(request.encoded));
  assertEquals(connection.usable, true);
});

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

Deno.test("connection: responses that arrive together have the same arrival time", async () => {
  const clock = new StoppedClock(100);
  try {
    const wires = [new ScriptedWire(), new ScriptedWire()];
    const responses = [new HttpResponse(), new HttpResponse()];
    // Reading the first body takes 5 ms.
    const slow = { push: () => (clock.advance(5), false) };
    const exchanges = wires.map((wire, i) =>
      connectionOver(wire).exchange({ ...request, stream: slow }, responses[i], 100)
    );
    await Promise.all(wires.map((wire) => untilReading(wire, 1)));
    clock.advance(10);
    for (const wire of wires) wire.arrive(OK);
    await Promise.all(exchanges);
    assertEquals(responses.map(({ waitingMs }) => waitingMs), [10, 10]);
  } finally {
    clock.restore();
  }
});

Deno.test("connection: an exchange completes only after a small request is sent, even if the response arrives earlier", async () => {
  const clock = new StoppedClock(100);
  try {
    const wire = new ScriptedWire();
    const written = Promise.withResolvers<number>();
    wire.write = () => written.promise;
    const connection = connectionOver(wire);
    const response = new HttpResponse();
    const exchange = connection.exchange(request, response, 100);
    wire.arrive(OK);
    let ended = false;
    exchange.then(() => ended = true);
    await new Promise((resolve) => setTimeout(resolve, 0));
    assertEquals([response.status, ended], [200, false]);
    clock.advance(4);
    written.resolve(request.encoded!.length);
    await exchange;
    const { sendingMs, waitingMs, receivingMs, bytesSent } = response;
    assertEquals([sendingMs, waitingMs, receivingMs], [4, 0, 0]);
    assertEquals([bytesSent, connection.usable], [request.encoded!.length, true]);
  } finally {
    clock.restore();
  }
});

Deno.test("connection: an early response completes the exchange if sending fails", async () => {
  const wire = new ScriptedWire();
  wire.write = () => Promise.reject(new Deno.errors.BrokenPipe("closed"));
  const connection = connectionOver(wire);
  const response = new HttpResponse();
  const exchange = connection.exchange(request, response, performance.now());
  wire.arrive(OK);
  await exchange;
  assertEquals([response.status, response.bytesSent, connection.usable], [200, 0, false]);
});

Deno.test("connection: rejects a request that cannot be encoded, and stays usable", async () => {
  const wire = new ScriptedWire();
  const connection = connectionOver(wire);
  const invalid = testRequest("http://a.test/", { headers: [["X", "a\r\nb"]] });
  await assertRejects(
    () => connection.exchange(invalid, new HttpResponse(), 0),
    ExchangeError,
    "line break",
  );
  assertEquals([wire.written, wire.reads, connection.usable], ["", 1, true]);
});

Deno.test("connection: is not usable after a closed peer or unexpected bytes between exchanges", async () => {
  for (const arrival of [null, bytesOf("HTTP/1.1 408 Request Timeout\r\n\r\n")]) {
    const wire = new ScriptedWire();
    const connection = connectionOver(wire);
    await exchangeOnce(connection, wire);
    assertEquals(connection.usable, true);
    wire.arrive(arrival);
    await Promise.resolve();
    assertEquals(connection.usable, false);
  }
});

Deno.test("connection: one read watches an idle connection and receives the next response", async () => {
  const wire = new ScriptedWire();
  const connection = connectionOver(wire);
  for (let count = 1; count < 4; count++) {
    assertEquals(wire.reads, count);
    await exchangeOnce(connection, wire);
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
