import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { encodeForm, encodeMultipart } from "../../src/http/encode_request.ts";

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
