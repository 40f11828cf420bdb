import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { encodeForm, encodeMultipart, encodeRequest } from "../../src/http/encode_request.ts";
import type { Outgoing } from "../../src/http/sender.ts";
import { testRequest } from "../support/http_client.ts";

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
