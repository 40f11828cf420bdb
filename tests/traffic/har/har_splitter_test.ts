import { assertEquals } from "@std/assert";
import { HarSplitter } from "../../../src/traffic/har/read_har.ts";
import { chunked } from "../../builders/mutate.ts";

/**
 * Splits `text` into `chunks` chunks and parses them. Returns each entry with its offset, and the
 * members of `log`.
 */
function split(text: string, chunks: number, largest = Infinity) {
  const entries: [unknown, number][] = [];
  const splitter = new HarSplitter("session.har", largest, (entry, { offset }) => {
    entries.push([entry, offset]);
  });
  const cuts = Array.from({ length: chunks - 1 }, (_, i) => (i + 1) / chunks);
  for (const chunk of chunked(new TextEncoder().encode(text), cuts)) splitter.push(chunk);
  return { entries, log: splitter.finish() };
}

Deno.test("HarSplitter finds the entries and the other members of `log`", () => {
  const text = '{"log":"entries","b":{"entries":[7]},"lo\\u0067" : {"version":"1.\\"2",' +
    '"pages":[["log","entries"],["]"]],"entries":\n[ {"x":"],]\\\\"},[[1,2]],null,true ],' +
    '"creator":{"entries":[[1]]}}}';
  for (const chunks of [1, 2, 7, text.length]) {
    assertEquals(split(text, chunks), {
      entries: [
        [{ x: "],]\\" }, text.indexOf('{"x"')],
        [[[1, 2]], text.indexOf("[[1,2")],
        [null, text.indexOf("null")],
        [true, text.indexOf("true")],
      ],
      log: {
        version: '1."2',
        pages: [["log", "entries"], ["]"]],
        entries: [0, 0, 0, 0],
        creator: { entries: [[1]] },
      },
    }, `${chunks} chunks`);
  }
});

Deno.test("HarSplitter skips an entry that is too large and finds the entries after it", () => {
  const large = `{"text":"${"\\\\".repeat(200)}"}`;
  const text = `{"log":{"entries":[{"a":1},${large},{"b":2}]}}`;
  assertEquals(split(text, 40, 100).entries, [
    [{ a: 1 }, 19],
    [undefined, 27],
    [{ b: 2 }, 28 + large.length],
  ]);
});
