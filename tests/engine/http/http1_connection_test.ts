import { assertEquals } from "@std/assert";
import { Http1Connection } from "../../../src/engine/http/http1_connection.ts";
import { KnownHeads } from "../../../src/engine/http/known_head.ts";
import { DEFAULT_LIMITS } from "../../../src/engine/http/response_limits.ts";
import { newResponse } from "../../../src/engine/http/new_response.ts";
import { ReadBuffers } from "../../../src/engine/http/read_buffers.ts";
import type { Wire } from "../../../src/engine/http/wire.ts";
import { testRequest } from "../../support/http_client.ts";
import { bytesOf } from "../../support/parsed.ts";

const OK = bytesOf("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
const LONG_REST_MS = 60_000;

/** A wire that takes `step` bytes at a time, and whose reads wait for `arrive`. */
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

function connectionOver(wire: Wire): Http1Connection {
  return new Http1Connection(wire, {
    limits: DEFAULT_LIMITS,
    keepAlive: true,
    buffers: new ReadBuffers(),
    heads: new KnownHeads(),
  });
}

const request = testRequest("http://a.test/", { headers: [["X-Long", "x".repeat(50)]] });

/** Lets pending promises run on until the connection reads. */
async function untilReading(wire: ScriptedWire, reads: number): Promise<void> {
  while (wire.reads < reads) await Promise.resolve();
}

async function exchangeOnce(connection: Http1Connection, wire: ScriptedWire): Promise<void> {
  const reads = wire.reads;
  const exchange = connection.exchange(request, newResponse(), performance.now());
  await untilReading(wire, reads + 1);
  wire.arrive(OK);
  await exchange;
}

Deno.test("connection: partial writes are carried on until all is sent", async () => {
  const wire = new ScriptedWire(7);
  const connection = connectionOver(wire);
  await exchangeOnce(connection, wire);
  assertEquals(wire.written, new TextDecoder().decode(request.encoded));
  assertEquals(connection.usable, true);
});

Deno.test("connection: used a moment ago, it is taken to be alive", async () => {
  const wire = new ScriptedWire();
  const connection = connectionOver(wire);
  await exchangeOnce(connection, wire);
  assertEquals(connection.isAlive(performance.now()), true);
  assertEquals(wire.reads, 1);
});

Deno.test("connection: after a rest, the peer's end and unasked-for bytes are noticed", async () => {
  for (const arrival of [null, bytesOf("HTTP/1.1 408 Request Timeout\r\n\r\n")]) {
    const wire = new ScriptedWire();
    const connection = connectionOver(wire);
    await exchangeOnce(connection, wire);
    const alive = connection.isAlive(performance.now() + LONG_REST_MS);
    wire.arrive(arrival);
    assertEquals(await alive, false);
  }
});

Deno.test("connection: after a quiet rest, the answer comes of the read begun then", async () => {
  const wire = new ScriptedWire();
  const connection = connectionOver(wire);
  await exchangeOnce(connection, wire);
  assertEquals(await connection.isAlive(performance.now() + LONG_REST_MS), true);
  const reply = newResponse();
  const exchange = connection.exchange(request, reply, performance.now());
  wire.arrive(OK);
  await exchange;
  assertEquals([reply.status, reply.bodySize, wire.reads], [200, 2, 2]);
});
