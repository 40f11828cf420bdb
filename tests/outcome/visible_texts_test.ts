import { assert, assertEquals } from "@std/assert";
import { markupTexts } from "../../src/outcome/visible_texts.ts";

Deno.test("markupTexts returns short paths for deeply nested pages with long element names", () => {
  const names = Array.from({ length: 200 }, (_, i) => `x${i}${"y".repeat(5_000)}`);
  const texts = markupTexts(names.map((name) => `<${name}>text`).join(""), false);
  assertEquals(texts.length, names.length);
  assert(texts.every(({ path }) => path.length < 1_100), `${texts.at(-1)?.path.length}`);
  assertEquals(markupTexts("<html><body><p>Hello", false)[0].path, "html/body/p");
});
