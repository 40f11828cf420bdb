import { assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import {
  entityRuns,
  escapedRuns,
  escapeRegex,
  percentRuns,
  undoEntities,
  undoEscapes,
  undoPercent,
} from "../../src/base/string_escapes.ts";

Deno.test("undoEscapes decodes like JSON.parse and maps each code unit to its offset in the escaped text", () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), fc.boolean(), (expected, slashes) => {
      const json = JSON.stringify(expected).slice(1, -1);
      const text = slashes ? json.replaceAll("/", "\\/").replaceAll("=", "\\u003d") : json;
      const { value, offsets } = undoEscapes(text);
      assertEquals(value, expected);
      assertEquals(offsets.length, expected.length + 1);
      for (let at = 0; at < expected.length; at++) {
        assertEquals(JSON.parse(`"${text.slice(offsets[at], offsets[at + 1])}"`), expected[at]);
      }
    }),
  );
});

const CASES: readonly [string, string][] = [
  [String.raw`\x3D\x2b`, "=+"],
  [String.raw`\u{1F600}\u{00003d}`, "😀="],
  [String.raw`\'\"\0\v`, "'\"\0\v"],
  [String.raw`\u{110000}\u12\xg`, "u{110000}u12xg"],
  ["ends in \\", "ends in \\"],
];

for (const [text, expected] of CASES) {
  Deno.test(`undoEscapes decodes JavaScript escapes: ${text}`, () =>
    assertEquals(undoEscapes(text).value, expected));
}

const ENTITIES: readonly [string, string][] = [
  ["a&amp;b&quot;c&#x2F;d&#43;e&apos;", "a&b\"c/d+e'"],
  ["&eacute;&unknown;&#0;&#x110000;& &amp", "&eacute;&unknown;&#0;&#x110000;& &amp"],
];

for (const [text, expected] of ENTITIES) {
  Deno.test(`undoEntities decodes character references: ${text}`, () => {
    const { value, offsets } = undoEntities(text);
    assertEquals(value, expected);
    assertEquals([offsets.length, offsets.at(-1)], [value.length + 1, text.length]);
  });
}

Deno.test("undoPercent decodes ASCII characters and keeps other bytes", () => {
  const { value, offsets } = undoPercent("a%2Fb%3d%C3%BC%zz");
  assertEquals(value, "a/b=%C3%BC%zz");
  assertEquals(offsets.slice(0, 5), [0, 1, 4, 5, 8]);
});

Deno.test("entityRuns, percentRuns and escapedRuns return substrings with escapes, delimited by quotes or markup", () => {
  const text = `<a href="/x?t=a%2Fb&amp;u=c%3D" title='&lt;x y&gt;'>q\\/r s\\u003d</a>`;
  const slices = (runs: Iterable<[number, number]>) =>
    [...runs].map(([start, end]) => text.slice(start, end));
  assertEquals(slices(entityRuns(text)), ["/x?t=a%2Fb&amp;u=c%3D", "&lt;x y&gt;"]);
  assertEquals(slices(percentRuns(text)), ["a%2Fb", "c%3D"]);
  assertEquals(slices(escapedRuns(text)), ["q\\/r", "s\\u003d"]);
});

Deno.test("escapeRegex returns an expression that matches exactly the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
      assertEquals(new RegExp(`^(?:${escapeRegex(text)})$`, "u").test(text), true);
      assertEquals(new RegExp(`^(?:${escapeRegex(text)})$`).test(`${text}a`), false);
    }),
  );
  assertEquals(escapeRegex("a-b/c.d"), "a-b\\/c\\.d");
});
