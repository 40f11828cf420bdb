import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { undoEscapes } from "../../src/base/string_escapes.ts";

Deno.test("undoEscapes decodes like JSON.parse and maps each code unit to its offset in the escaped text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (expected, slashes) => {
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
  Deno.test(`decodes JavaScript escapes: ${text}`, () =>
    assertEquals(undoEscapes(text).value, expected));
}
