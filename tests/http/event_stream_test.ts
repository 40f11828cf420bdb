import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { EventParser } from "../../src/http/content.ts";
import type { BodyStream } from "../../src/http/sender.ts";
import { openClient, testOptions } from "../support/http_client.ts";
import { http2Server } from "../support/http2_server.ts";
import { bytesOf, textOf } from "../support/parsed.ts";
import { wireServer } from "../support/wire_server.ts";

/** Parses an event stream in pieces of `size` bytes, and returns the data of each event. */
function parse(text: string, size: number): string[] {
  const events: string[] = [];
  const parser = new EventParser((data) => events.push(data));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
  return events;
}

Deno.test("EventParser reads server-sent events with all line endings, in pieces of any size", () => {
  const stream =
    "\ufeffdata: one\n\nevent: x\r\ndata:two\r\ndata: lines\r\n\r\n: comment\rdata\r\r" +
    "id: 7\n\ndata: wörld €\nretry: 10\n\ndata: unfinished";
  for (const size of [1, 2, 3, 5, 1_000]) {
    assertEquals(parse(stream, size), ["one", "two\nlines", "", "wörld €"], `${size}`);
  }
});

Deno.test("an event stream yields the same events no matter how it is split into chunks", () => {
  const line = fc.constantFrom("data: a", "data", "data:b", "id: 1", ":", "", "", "x: y");
  const ends = fc.constantFrom("\n", "\r", "\r\n");
  fc.assert(fc.property(
    fc.array(fc.tuple(line, ends), { maxLength: 20 }),
    fc.integer({ min: 1, max: 9 }),
    (lines, size) => {
      const text = lines.map(([line, end]) => line + end).join("");
      assertEquals(parse(text, size), parse(text, 1_000));
    },
  ));
});

/** Creates a stream that collects a body until it contains `until`. */
function collect(until: string): BodyStream & { text: string } {
  return {
    text: "",
    push(chunk) {
      this.text += textOf(chunk);
      return this.text.includes(until);
    },
  };
}

Deno.test("an HTTP/1.1 response completes once its event reader needs no more data", async () => {
  await using server = wireServer(async (peer) => {
    await peer.head();
    await peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const text of ["one ", "two ", "three "]) {
      await peer.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    }
    await peer.untilClosed();
  });
  using client = openClient();
  for (let i = 0; i < 2; i++) {
    const stream = collect("two");
    const response = await client.send(server.url, { stream });
    assertEquals([response.error, response.status], [undefined, 200]);
    assertEquals(stream.text.startsWith("one two"), true);
  }
  assertEquals(server.accepted, 2);
});

Deno.test("an HTTP/2 response completes once its event reader needs no more data", async () => {
  await using server = await http2Server(false, (_, response) => {
    response.writeHead(200);
    response.write("one two");
  });
  using client = openClient(testOptions({ version: "http2" }));
  const stream = collect("two");
  const response = await client.send(server.url, { stream });
  assertEquals([response.error, response.status, stream.text], [undefined, 200, "one two"]);
  assertEquals(bytesOf(stream.text).length, response.bodySize);
});
