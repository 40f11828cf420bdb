import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ByteIndex } from "../../src/base/byte_index.ts";

Deno.test("ByteIndex numbers strings in order of first occurrence", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 3 }), { maxLength: 2_000 });
  fc.assert(
    fc.property(texts, (list) => {
      const index = new ByteIndex();
      const reference = new Map<string, number>();
      for (const text of list) {
        const bytes = new TextEncoder().encode(`<${text}>`);
        assertEquals(index.find(bytes, 1, bytes.length - 1), reference.get(text) ?? -1);
        if (!reference.has(text)) reference.set(text, reference.size);
        assertEquals(index.number(bytes, 1, bytes.length - 1), reference.get(text));
      }
      assertEquals(index.size, reference.size);
      for (const [text, number] of reference) {
        assertEquals(new TextDecoder().decode(index.at(number).slice()), text.toWellFormed());
      }
    }),
  );
});
