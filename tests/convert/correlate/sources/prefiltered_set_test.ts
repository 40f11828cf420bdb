import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PrefilteredSet } from "../../../../src/convert/correlate/sources/prefiltered_set.ts";

Deno.test("PrefilteredSet contains the same strings as a Set", () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é", "1"), maxLength: 7 }));
  fc.assert(fc.property(texts, texts, (held, asked) => {
    const quick = new PrefilteredSet();
    for (const text of held) quick.add(text);
    for (const text of [...held, ...asked]) assertEquals(quick.has(text), held.includes(text));
  }));
});
