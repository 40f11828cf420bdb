import { assertEquals } from "@std/assert";
import { lintLanguage, wideComments } from "../../scripts/language/lint.ts";

Deno.test("lintLanguage reports words to avoid in comments, with line numbers and replacements", () => {
  const source = "/**\n * Parses a line.\n * What stands behind it.\n */\nconst told = 1;\n";
  assertEquals(words("src/a.ts", source), ["3 behind", "3 stands"]);
});

Deno.test("lintLanguage reports words to avoid in messages but not in short keys", () => {
  assertEquals(words("src/a.ts", 'fail("the answer was late", { answer: "told" });\n'), [
    "1 answer",
  ]);
});

Deno.test("in tests, the only strings that lintLanguage checks are test names", () => {
  const source = 'Deno.test("shows what was told", () => send("an answer here"));\n';
  assertEquals(words("tests/a_test.ts", source), ["1 told"]);
});

Deno.test("lintLanguage ignores code spans, option names, code blocks and accepted phrases", () => {
  const source =
    "Pass `--journeys` or --journeys, behind a proxy.\n```sh\necho told\n```\nTold you.\n";
  assertEquals(words("docs/a.md", source), ["5 Told"]);
});

Deno.test("lintLanguage accepts words that merely contain a word to avoid", () => {
  assertEquals(words("docs/a.md", "Replay, understand, display, withheld.\n"), []);
});

Deno.test("wideComments reports comments of more than 100 columns that can be wrapped", () => {
  const wide = "word ".repeat(20).trimEnd();
  const source = [
    `/** ${wide} */`,
    ` * ${wide}`,
    `  // ${wide}`,
    ` *     ${wide}`,
    `// https://example.com/ ${wide}`,
    `const text = "${wide}";`,
    `// ${wide.slice(3)}`,
  ].join("\n");
  assertEquals(wideComments(source), [1, 2, 3]);
});

function words(path: string, source: string): string[] {
  return lintLanguage(path, source).map(({ line, word }) => `${line} ${word}`).sort();
}
