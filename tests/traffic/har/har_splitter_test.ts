import { assertEquals } from "@std/assert";
import { HarSplitter, type HarValue } from "../../../src/traffic/har/har_splitter.ts";
import { chunked } from "../../builders/mutate.ts";

/**
 * Splits `text` into `chunks` chunks and parses them. Returns the container, name, JSON and offset
 * of each value.
 */
function split(text: string, chunks: number, largest?: number): unknown[] {
  const found: unknown[] = [];
  const decoder = new TextDecoder();
  const splitter = new HarSplitter(({ of, name, bytes, place }: HarValue) => {
    found.push([of, name, bytes && decoder.decode(bytes), place.offset]);
  }, largest);
  const cuts = Array.from({ length: chunks - 1 }, (_, i) => (i + 1) / chunks);
  for (const chunk of chunked(new TextEncoder().encode(text), cuts)) splitter.push(chunk);
  splitter.finish();
  return found;
}

Deno.test("HarSplitter finds the members of the root and of `log`, and the entries", () => {
  const text =
    '{"a":-1.5e3,"lo\\u0067":{"version":"1.\\"2","entries":[{"x":"]}"},[[]],null,true ],"b":{}}}';
  for (const chunks of [1, 2, 7, text.length]) {
    assertEquals(split(text, chunks), [
      ["root", "a", "-1.5e3", 5],
      ["log", "version", '"1.\\"2"', 34],
      ["entries", "", '{"x":"]}"}', 53],
      ["entries", "", "[[]]", 64],
      ["entries", "", "null", 69],
      ["entries", "", "true", 74],
      ["log", "b", "{}", 85],
    ]);
  }
});

Deno.test("HarSplitter skips a value that is too large and finds the values after it", () => {
  const large = `{"text":"${"\\\\".repeat(200)}"}`;
  const text = `{"log":{"entries":[{"a":1},${large},{"b":2}]}}`;
  assertEquals(split(text, 40, 100), [
    ["entries", "", '{"a":1}', 19],
    ["entries", "", undefined, 27],
    ["entries", "", '{"b":2}', 28 + large.length],
  ]);
});
