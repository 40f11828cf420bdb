import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Found, ValueIndex } from "../../../src/traffic/session/value_index.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "1", "-", ".", " ", "é", "$", "{"),
  minLength: 0,
  maxLength: 40,
});

Deno.test("ValueIndex finds the same occurrences as a separate search for each value", () => {
  const values = fc.array(
    fc.string({ unit: fc.constantFrom("a", "b", "1", "-"), minLength: 6, maxLength: 12 }),
  );
  fc.assert(
    fc.property(values, fc.array(text), (values, texts) => {
      const index = new ValueIndex();
      for (const value of values) index.add(value);
      const joined = [...texts, ...values].join("-");
      assertEquals(index.find(joined), findSlowly(values, joined));
    }),
  );
});

Deno.test("ValueIndex distinguishes values with the same longest token", () => {
  const index = new ValueIndex();
  for (const value of ["x-longesttoken", "longesttoken-y", "z.longesttoken"]) index.add(value);
  assertEquals(index.find("a x-longesttoken-y z.longesttoken").map(({ value }) => value), [
    "x-longesttoken",
    "z.longesttoken",
  ]);
});

Deno.test("ValueIndex finds a value once if a token of another value has the same position", () => {
  const index = new ValueIndex();
  for (const value of [".a-aaaaa", ".a.a-a.a"]) index.add(value);
  assertEquals(index.findAll(" .a-aaaaa "), [{ value: ".a-aaaaa", start: 1, end: 9 }]);
});

/**
 * Naive search: tries every value at every offset. Of overlapping occurrences, keeps the first, or
 * the longest if several start at the same offset.
 */
function findSlowly(values: readonly string[], text: string): Found[] {
  const found: Found[] = [];
  for (const value of new Set(values)) {
    if (value.length < 8 || !/[a-zA-Z0-9]/.test(value)) continue;
    for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + 1)) {
      const end = start + value.length;
      if (isBoundary(text, start) && isBoundary(text, end)) found.push({ value, start, end });
    }
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return found.filter(({ start, end }) => start >= done && (done = end, true));
}

function isBoundary(text: string, at: number): boolean {
  return !/^[a-zA-Z0-9\u0080-\uffff]{2}$/.test(text.slice(Math.max(0, at - 1), at + 1)) || at === 0;
}
