import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { generatedValues } from "../../src/verify/runs.ts";
import { ValueFinder } from "../../src/verify/runs.ts";

function finderOf(...values: string[]): ValueFinder {
  const finder = new ValueFinder();
  for (const value of values) finder.add(value);
  return finder;
}

Deno.test("ValueFinder.find returns known values with their offsets, even within other text", () => {
  const finder = finderOf("48213", "9f86d081884c7d65", "Untitled Folder");
  const text = "T48213x 9f86d081884c7d65 /ada1/Untitled%20Folder/x 482130";
  assertEquals(finder.find(text), [
    { value: "48213", start: 1, end: 6 },
    { value: "9f86d081884c7d65", start: 8, end: 24 },
    { value: "Untitled Folder", start: 31, end: 48 },
  ]);
});

Deno.test("ValueFinder.find ignores numbers in dates, fractions, hosts and timestamps", () => {
  const finder = finderOf("2026", "1234", "8443");
  for (
    const text of [
      "2026-11-22",
      "0.1234",
      "https://app.example:8443/x",
      "2026-11-22T10:05:33Z",
      "01/02/2026",
    ]
  ) assertEquals(finder.find(text), [], text);
});

Deno.test("ValueFinder.find returns every generated value that a string contains if all of them are known", () => {
  const value = fc.oneof(
    fc.uuid(),
    fc.stringMatching(/^[0-9a-f]{16,40}$/),
    fc.bigInt({ min: 1_000n, max: 10n ** 18n }).map(String),
    fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((d) =>
      d.toISOString()
    ),
  );
  const around = fc.constantFrom(" ", '"', "/", "=", "<b>", "&amp;", "%2F", "\\n");
  fc.assert(fc.property(fc.array(fc.tuple(around, value), { minLength: 1 }), (pieces) => {
    const text = pieces.flat().join("") + " ";
    const values = generatedValues(text).map(({ value }) => value);
    assertEquals(finderOf(...values).find(text).map(({ value }) => value), values);
  }));
});
