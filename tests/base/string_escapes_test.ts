import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { undoEscapes } from "../../src/base/string_escapes.ts";

Deno.test("undoing escapes is what JSON.parse does, and every piece maps back to what stands for it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (meant, slashes) => {
      const json = JSON.stringify(meant).slice(1, -1);
      const text = slashes ? json.replaceAll("/", "\\/").replaceAll("=", "\\u003d") : json;
      const { value, offsets } = undoEscapes(text);
      assertEquals(value, meant);
      assertEquals(offsets.length, meant.length + 1);
      for (let at = 0; at < meant.length; at++) {
        assertEquals(JSON.parse(`"${text.slice(offsets[at], offsets[at + 1])}"`), meant[at]);
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

for (const [text, meant] of CASES) {
  Deno.test(`escapes of JavaScript: ${text}`, () => assertEquals(undoEscapes(text).value, meant));
}
