import { assertEquals } from "@std/assert";
import { cutToWidth, textWidth } from "../../src/base/safe_text.ts";

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
