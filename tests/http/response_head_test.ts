import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { KnownHeads, ReadBuffer } from "../../src/http/connection.ts";
import { DEFAULT_LIMITS } from "../../src/http/network_options.ts";
import { fieldText } from "../../src/http/response_head.ts";
import { ResponseParser } from "../../src/http/response_parser.ts";
import { HttpResponse } from "../../src/http/sender.ts";
import { bytesOf, EVERYTHING, parsed } from "../support/parsed.ts";

const ascii = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^ -~]/g, "~"));
const text = fc.oneof(ascii, fc.string({ unit: ANY_CHARACTER, maxLength: 20 }));
const bytes = fc.oneof(
  text.map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ maxLength: 40 }),
  ascii.map((text) => Uint8Array.from(text + "\xe9", (c) => c.charCodeAt(0))),
);

Deno.test("field text: decodes exactly the given range, as UTF-8 if it is valid, otherwise as Latin-1", () => {
  fc.assert(fc.property(bytes, bytes, (value, around) => {
    const line = new Uint8Array([...around, ...value, ...around]);
    const [from, to] = [around.length, around.length + value.length];
    assertEquals(fieldText(line, from, to), reference(value));
  }));
});

function reference(value: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return Array.from(value, (byte) => String.fromCharCode(byte)).join("");
  }
}

const HEAD = "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 21:41:10 GMT\r\nContent-Length: 5\r\n\r\n";
const HELLO = bytesOf(HEAD + "hello");

function bufferOf(bytes: Uint8Array): ReadBuffer {
  const buffer = new ReadBuffer(bytes.length);
  buffer.bytes.set(bytes);
  return buffer;
}

Deno.test("cached head: is compared with all bytes of the new response head, but not with its body", () => {
  for (const pad of ["", "x", "xy", "xyz", "xyz1", "xyz12", "xyz123", "xyz1234"]) {
    const head = HEAD.replace("Date: ", `Date: ${pad}`);
    const heads = new KnownHeads();
    parsed(bytesOf(head + "hello"), { heads });
    assertEquals(heads.get(EVERYTHING).size, head.length);
    assertEquals(parsed(bytesOf(head + "HELLO"), { heads }).body, "HELLO");
    const digits = [...head.matchAll(/\d/g)].map(({ index }) => index);
    for (const at of digits) {
      const bytes = bytesOf(head + "hello");
      bytes[at]--;
      assertEquals(parsed(bytes, { heads }), parsed(bytes), `changed at ${at}`);
    }
  }
});

Deno.test("cached head: is not replaced by a head that arrives in pieces or is too large", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads, cuts: [20] });
  parsed(bytesOf(HEAD.replace("Date: ", "Date: " + "x".repeat(5_000)) + "hello"), { heads });
  assertEquals(heads.get(EVERYTHING).size, 0);
});

Deno.test("cached head: requests that need different parts of a response have separate cached heads", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  const needs = { headers: false, body: false };
  assertEquals(parsed(HELLO, { heads, needs }).headers, []);
  assertEquals(parsed(HELLO, { heads }).headers.length, 2);
  assert(heads.get(needs) !== heads.get(EVERYTHING));
});

Deno.test("cached head: is replaced if several consecutive responses have a different head", () => {
  const heads = new KnownHeads();
  const other = bytesOf("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  parsed(HELLO, { heads });
  for (let i = 0; i < 10; i++) assertEquals(parsed(other, { heads }).status, 404);
  assertEquals(heads.get(EVERYTHING).size, other.length);
});

Deno.test("cached head: can be replaced while a response is being parsed", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  const parser = new ResponseParser(DEFAULT_LIMITS, heads);
  const response = new HttpResponse();
  parser.begin("GET", EVERYTHING, response);
  parser.push(bufferOf(HELLO), HELLO.length - 1);
  const other = bytesOf("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  for (let i = 0; i < 10; i++) parsed(other, { heads });
  assertEquals(heads.get(EVERYTHING).size, other.length);
  parser.push(bufferOf(bytesOf("o")), 1);
  assertEquals([parser.done, parser.reusable, response.status], [true, true, 200]);
});

Deno.test("cached head: gives each response its own copy of the headers", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  parsed(HELLO, { heads }).headers.length = 0;
  assertEquals(parsed(HELLO, { heads }).headers.length, 2);
});

Deno.test("cached head: is rejected if it exceeds the limit, even if another parser has cached it", () => {
  const heads = new KnownHeads();
  parsed(HELLO, { heads });
  const limits = { headers: 20, body: 1_000 };
  assertEquals(parsed(HELLO, { heads, limits }).error, "too_large");
});
