import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { cutToWidth, safeSnippet, safeText, textWidth } from "../../src/base/safe_text.ts";

Deno.test("safeText escapes characters that move the cursor or reorder text", () => {
  assertEquals(safeText("a\x1b[31mb\r\n"), "a\\x1b[31mb\\x0d\\x0a");
  assertEquals(safeText("\u202egpj.exe"), "\\u202egpj.exe");
  assertEquals(safeText("\ud800"), "\\ud800");
  assertEquals(safeText("\u{e0041}"), "\\u{e0041}");
  assertEquals(safeText("größe 😀 /a?b=c"), "größe 😀 /a?b=c");
});

Deno.test("safeText escapes every control character in any text", () => {
  fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
    assert(!/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(safeText(text)));
  }));
});

Deno.test("safeSnippet shortens text with an ellipsis", () => {
  assertEquals(safeSnippet("abcdef", 4), "abc…");
  assertEquals(safeSnippet("abcd", 4), "abcd");
});

Deno.test("safeText escapes CI workflow commands", () => {
  assertEquals(safeText("::stop-commands::x"), "\\x3a:stop-commands::x");
  assertEquals(safeText("  ::error file=a::b"), "  \\x3a:error file=a::b");
  assertEquals(safeText("GET /##[add-mask]e"), "GET /\\x23#[add-mask]e");
  assertEquals(safeText("###[x]##[y]"), "#\\x23#[x]\\x23#[y]");
  assertEquals(safeText("a::b ## [x] #[y]"), "a::b ## [x] #[y]");
});

Deno.test("safeText escapes every workflow command in any text", () => {
  const piece = fc.constantFrom(":", "::", "#", "##", "[", "]", " ", "\t", "error", "\u200b", "\r");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      assertEquals(/^\s*::|##\[/.test(safeText(pieces.join(""))), false);
    }),
  );
});

Deno.test("safeSnippet never splits a character", () => {
  const text = "😀".repeat(9);
  for (let max = 1; max <= 20; max++) {
    const cut = safeSnippet(text, max);
    assertEquals(cut.isWellFormed(), true, String(max));
    assertEquals(cut.length <= max, true, String(max));
    assertEquals(/^(?:😀)*…?$/u.test(cut), true, cut);
  }
});

Deno.test("textWidth counts two columns for a wide character and none for a combining mark or a color code", () => {
  const widths: Record<string, number> = {
    "": 0,
    "GET /a": 6,
    "é": 1,
    "e\u0301": 1,
    "日本語": 6,
    "한국": 4,
    "ｱ": 1,
    "Ａ": 2,
    "🛒": 2,
    "🇩🇪": 2,
    "\u{17000}": 2,
    "✓ ✗ ▁█━─": 8,
    "\x1b[31mred\x1b[0m": 3,
  };
  for (const [text, width] of Object.entries(widths)) assertEquals(textWidth(text), width, text);
});

Deno.test("cutToWidth limits the number of terminal columns, not of characters", () => {
  assertEquals(cutToWidth("products", 8), "products");
  assertEquals(cutToWidth("products", 7), "produc…");
  assertEquals(cutToWidth("日本語", 6), "日本語");
  assertEquals(cutToWidth("日本語", 5), "日本…");
  assertEquals(cutToWidth("日本語", 4), "日…");
  assertEquals(cutToWidth("a", 0), "");
});
