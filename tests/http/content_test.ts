import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import * as zlib from "node:zlib";
import { ContentError, contentText, decodeContent, EventParser } from "../../src/http/content.ts";
import { type BodyStream, HttpResponse } from "../../src/http/sender.ts";
import { http2Server } from "../support/http2_server.ts";
import { openClient, testOptions } from "../support/http_client.ts";
import { bytesOf, textOf } from "../support/parsed.ts";
import { wireServer } from "../support/wire_server.ts";

const TEXT = "recorded traffic ".repeat(500);
const plain = new TextEncoder().encode(TEXT);

function decoded(body: Uint8Array, ...encodings: string[]): string {
  const headers = encodings.map((value): [string, string] => ["content-encoding", value]);
  return new TextDecoder().decode(decodeContent({ ...new HttpResponse(), body, headers }));
}

const ENCODERS: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  GZip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
  identity: (bytes) => bytes,
};

for (const [encoding, encode] of Object.entries(ENCODERS)) {
  Deno.test(`content: decodes ${encoding}`, () => {
    assertEquals(decoded(encode(plain), encoding), TEXT);
    assertEquals(decoded(new Uint8Array(0), encoding), "");
  });
}

Deno.test("content: decodes raw deflate, several successive encodings, and bodies with several members or frames", () => {
  assertEquals(decoded(zlib.deflateRawSync(plain), "deflate"), TEXT);
  const twice = zlib.brotliCompressSync(zlib.gzipSync(plain));
  assertEquals(decoded(twice, "gzip, br"), TEXT);
  assertEquals(decoded(twice, "gzip", "br"), TEXT);
  for (const encode of [zlib.gzipSync, zlib.zstdCompressSync]) {
    const name = encode === zlib.gzipSync ? "gzip" : "zstd";
    assertEquals(decoded(Buffer.concat([encode(plain), encode(plain)]), name), TEXT + TEXT);
  }
});

Deno.test("content: throws ContentError if a body is damaged or truncated, or if there are too many encodings", () => {
  for (const name of ["gzip", "deflate", "zstd"]) {
    const whole = ENCODERS[name](plain);
    assertThrows(() => decoded(whole.subarray(0, whole.length - 3), name), ContentError, name);
    assertThrows(() => decoded(plain, name), ContentError, name);
  }
  assertThrows(() => decoded(new Uint8Array(50).fill(0xff), "br"), ContentError, "br");
  assertThrows(
    () => decoded(plain, "gzip,gzip,gzip,gzip,gzip"),
    ContentError,
    "5 content encodings",
  );
});

Deno.test("content: an unknown encoding leaves the body unchanged", () => {
  for (const encoding of ["aws-chunked", "none", "utf-8", "toString"]) {
    assertEquals(decoded(plain, encoding), TEXT);
    assertEquals(decoded(zlib.gzipSync(plain), `gzip, ${encoding}`), TEXT);
  }
});

Deno.test("content: rejects a decompression bomb", () => {
  const bomb = zlib.zstdCompressSync(new Uint8Array(129 * 1024 * 1024));
  assertThrows(() => decoded(bomb, "zstd"), ContentError, "more than");
});

Deno.test("content: decodes text in its charset, or as UTF-8 if the charset is unknown", () => {
  const latin = new Uint8Array([0xe9]);
  assertEquals(contentText(latin, "text/html; charset=ISO-8859-1"), "é");
  assertEquals(contentText(latin, 'text/html;charset="windows-1252"'), "é");
  const utf8 = new TextEncoder().encode("é");
  assertEquals(contentText(utf8, undefined), "é");
  assertEquals(contentText(utf8, "text/html; charset=UTF-8"), "é");
  assertEquals(contentText(utf8, "text/html; charset=nonsense"), "é");
});

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
