import { Buffer } from "node:buffer";
import { assertEquals, assertThrows } from "@std/assert";
import * as zlib from "node:zlib";
import { ContentError, contentText, decodeContent } from "../../src/http/content.ts";
import { HttpResponse } from "../../src/http/sender.ts";

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
