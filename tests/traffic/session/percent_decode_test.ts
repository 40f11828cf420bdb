import { assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { percentDecode, percentDecodedText } from "../../../src/traffic/session/call_url.ts";

Deno.test("percentDecode returns the same text as decodeURIComponent, and the encoded offset of each character", () => {
  const piece = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 3 }).filter((s) => s.isWellFormed()).map(
      encodeURIComponent,
    ),
    fc.constantFrom("%", "%f", "%FF", "%e2%82", "%ed%a0%80", "a", "+", "=", "%2f", "%C3%A9"),
  );
  fc.assert(
    fc.property(fc.array(piece).map((pieces) => pieces.join("")), (text) => {
      const decoded = percentDecode(text, false);
      if (decoded === undefined) return assertEquals(decodedSlowly(text) ?? text, text);
      assertEquals(decoded.value, decodedSlowly(text));
      assertEquals(decoded.offsets.length, decoded.value.length + 1);
      const characters = [...decoded.value];
      for (let i = 0, at = 0; i < characters.length; at += characters[i++].length) {
        const [from, to] = [decoded.offsets[at], decoded.offsets[at + characters[i].length]];
        assertEquals(decodeURIComponent(text.slice(from, to)), characters[i]);
      }
    }),
  );
});

Deno.test("percentDecodedText returns the same text as percentDecode", () => {
  const piece = fc.constantFrom("%", "%f", "%FF", "%e2%82", "%ed%a0%80", "a", "+", "%2f", "%C3%A9");
  fc.assert(
    fc.property(fc.array(piece), fc.boolean(), (pieces, plus) => {
      const text = pieces.join("");
      assertEquals(percentDecodedText(text, plus), percentDecode(text, plus)?.value ?? text);
    }),
  );
});

Deno.test("percentDecode decodes a plus sign as a space only if requested", () => {
  assertEquals(percentDecode("a+b%2Bc", true)?.value, "a b+c");
  assertEquals(percentDecode("a+b", false), undefined);
});

function decodedSlowly(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
