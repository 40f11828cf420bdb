import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { runAround } from "../../src/verify/assess.ts";

Deno.test("runAround returns the same text as a regular expression", () => {
  const character = fc.constantFrom(...'ab1/=-_ <"'.split(""));
  const text = fc.string({ unit: character, maxLength: 40 });
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1, maxLength: 3 }), text, (value, text) => {
      const pattern = new RegExp(`[\\w+/=-]*?${RegExp.escape(value)}[\\w+/=-]*`);
      const expected = pattern.exec(text)?.[0] ?? value;
      assertEquals(runAround(value, text), expected);
    }),
  );
});

Deno.test("runAround finds no value in a run of a million characters", () => {
  assertEquals(runAround("missing", "a".repeat(2 ** 20)), "missing");
});
