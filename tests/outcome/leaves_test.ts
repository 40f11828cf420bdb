import { assert, assertEquals } from "@std/assert";
import { readMarkup } from "../../src/outcome/leaves.ts";

Deno.test("readMarkup returns short paths for deeply nested pages with long element names", () => {
  const names = Array.from({ length: 200 }, (_, i) => `x${i}${"y".repeat(5_000)}`);
  const texts = readMarkup(names.map((name) => `<${name}>text`).join(""), false).leaves;
  assertEquals(texts.length, names.length);
  assert(texts.every(({ path }) => path.length < 1_100), `${texts.at(-1)?.path.length}`);
  assertEquals(readMarkup("<html><body><p>Hello", false).leaves[0].path, "html/body/p");
});

Deno.test("readMarkup keeps the text of an element whole that contains entities", () => {
  const texts = (page: string) => readMarkup(page, false).leaves.map(({ text }) => text);
  assertEquals(texts("<p>Why don&#8217;t you &amp; I <a>go</a> home?"), [
    "Why don’t you & I",
    "go",
    "home?",
  ]);
});
