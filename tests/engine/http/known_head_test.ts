import { assert, assertEquals } from "@std/assert";
import { KnownHeads } from "../../../src/engine/http/known_head.ts";
import { DEFAULT_LIMITS } from "../../../src/engine/http/response_limits.ts";
import { newResponse } from "../../../src/engine/http/new_response.ts";
import { ReadBuffer } from "../../../src/engine/http/read_buffers.ts";
import { ResponseParser } from "../../../src/engine/http/response_parser.ts";
import { bytesOf, EVERYTHING, parsed } from "../../support/parsed.ts";

const HEAD = "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 21:41:10 GMT\r\nContent-Length: 5\r\n\r\n";
const HELLO = bytesOf(HEAD + "hello");

function bufferOf(bytes: Uint8Array): ReadBuffer {
  const buffer = new ReadBuffer(bytes.length);
  buffer.bytes.set(bytes);
  return buffer;
}

Deno.test("known head: every byte of it counts, and none behind it", () => {
  for (const pad of ["", "x", "xy", "xyz", "xyz1", "xyz12", "xyz123", "xyz1234"]) {
    const head = HEAD.replace("Date: ", `Date: ${pad}`);
    const heads = new KnownHeads();
    parsed(bytesOf(head + "hello"), { heads });
    assertEquals(heads.of(EVERYTHING).size, head.length);
    assertEquals(parsed(bytesOf(head + "HELLO"), { heads }).body, "HELLO");
    const digits = [...head.matchAll(/\d/g)].map(({ index }) => index);
    for (const at of digits) {
      const bytes = bytesOf(head + "hello");
      bytes[at]--;
      assertEquals(parsed(bytes, { heads }), parsed(bytes), `changed at ${at}`);
    }
  }
});

Deno.test("known head: what came in pieces is not remembered, what is too large neither", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads, cuts: [20] });
  parsed(bytesOf(HEAD.replace("Date: ", "Date: " + "x".repeat(5_000)) + "hello"), { heads });
  assertEquals(heads.of(EVERYTHING).size, 0);
});

Deno.test("known head: one is known of each request", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  const wants = { headers: false, body: false };
  assertEquals(parsed(HELLO, { heads, wants }).headers, []);
  assertEquals(parsed(HELLO, { heads }).headers.length, 2);
  assert(heads.of(wants) !== heads.of(EVERYTHING));
});

Deno.test("known head: a new one takes its place, though not at once", () => {
  const heads = new KnownHeads();
  const other = bytesOf("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  parsed(HELLO, { heads });
  for (let i = 0; i < 10; i++) assertEquals(parsed(other, { heads }).status, 404);
  assertEquals(heads.of(EVERYTHING).size, other.length);
});

Deno.test("known head: another one that takes its place does not touch answers under way", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  const under = new ResponseParser(DEFAULT_LIMITS, heads);
  const reply = newResponse();
  under.begin("GET", EVERYTHING, reply);
  under.push(bufferOf(HELLO), HELLO.length - 1);
  const other = bytesOf("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  for (let i = 0; i < 10; i++) parsed(other, { heads });
  assertEquals(heads.of(EVERYTHING).size, other.length);
  under.push(bufferOf(bytesOf("o")), 1);
  assertEquals([under.done, under.reusable, reply.status], [true, true, 200]);
});

Deno.test("known head: its headers are each reply's own", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  parsed(HELLO, { heads }).headers.length = 0;
  assertEquals(parsed(HELLO, { heads }).headers.length, 2);
});

Deno.test("known head: a head over the limit is refused though another parser knew it", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  const limits = { headers: 20, body: 1_000 };
  assertEquals(parsed(HELLO, { heads, limits }).error, "too_large");
});
