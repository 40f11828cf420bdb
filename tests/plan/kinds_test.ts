import { assert, assertEquals } from "@std/assert";
import { writtenNumber } from "../../src/base/exact_number.ts";
import { recordedEntries, recordedEntry } from "../../src/plan/kinds/list_requests.ts";
import { OUTPUTS } from "../../src/plan/kinds/outputs.ts";

Deno.test("docs/exporters.md has an example of every output", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/exporters.md", import.meta.url));
  for (const type of Object.keys(OUTPUTS)) assert(page.includes(`{ type: ${type}, `), type);
});

const ENTRIES: [unknown, number | undefined][] = [
  ["83", 83],
  [83, 83],
  [writtenNumber("83"), 83],
  ["0", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["08", undefined],
  ["first", undefined],
  [true, undefined],
  ["9".repeat(16), undefined],
];

for (const [value, expected] of ENTRIES) {
  Deno.test(`recorded tag: reads ${typeof value} ${value} as ${expected}`, () => {
    assertEquals(recordedEntry({ tags: { recorded: value, team: "a" } }), expected);
  });
}

Deno.test("recorded tag: recordedEntries returns every entry number in a list, and recordedEntry the last one", () => {
  const request = { tags: { recorded: "7,9,12" } };
  assertEquals(recordedEntries(request), [7, 9, 12]);
  assertEquals(recordedEntry(request), 12);
});

for (const invalid of ["7,", ",7", "7, 9", "9,7", "7,7", "7,x", ""]) {
  Deno.test(`recorded tag: ignores the invalid list "${invalid}"`, () => {
    assertEquals(recordedEntries({ tags: { recorded: invalid } }), []);
  });
}

Deno.test("recorded tag: a request without tags has no recorded entry number", () => {
  assertEquals(recordedEntry({}), undefined);
  assertEquals(recordedEntry({ tags: { team: "a" } }), undefined);
});
