import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  comparisonAnnotations,
  comparisonMarkdown,
} from "../../../src/report/compare/print_comparison.ts";
import type { Comparison } from "../../../src/report/compare/comparison_report.ts";
import { nameCell, type Section, tableSection } from "../../../src/report/blocks.ts";

const EMPTY: Comparison = {
  name: "shop",
  change: "within noise",
  reasons: ["0 endpoints slower"],
  warnings: [],
  runs: ["a.json", "b.json"],
  sections: [],
};

/** Returns the Markdown of a table row whose only cell contains the name `text`. */
function cell(text: string): string {
  const section = tableSection("T", [{ title: "A", cell: nameCell }], [text]);
  return comparisonMarkdown({ ...EMPTY, sections: [section] }).split("\n")
    .find((_, i, lines) => lines[i - 1] === "| --- |")!;
}

/** Returns the Markdown of the reason `text`, without its list bullet. */
function item(text: string): string {
  return comparisonMarkdown({ ...EMPTY, reasons: [text] }).split("\n")[2].slice(2);
}

Deno.test("comparisonMarkdown shows names in code spans, and no name can end its code span early", () => {
  assertEquals(cell("GET /items/${id}"), "| `GET /items/${id}` |");
  assertEquals(cell("<b>@someone #1 ![x](y)"), "| `<b>@someone #1 ![x](y)` |");
  assertEquals(cell("a|b"), "| <code>a&#124;b</code> |");
  assertEquals(cell("`</code>`"), "| <code>&#96;&#60;/code&#62;&#96;</code> |");
  assertEquals(cell("a\\|b"), "| <code>a&#92;&#124;b</code> |");
  assertEquals(cell("a\nb"), "| <code>a&#92;x0ab</code> |");
  assertEquals(cell(""), "|  |");
});

Deno.test("comparisonMarkdown escapes markup, links and mentions in text", () => {
  assertEquals(item("a.json: 4.3ms (+5.00%)"), "a.json: 4.3ms (+5.00%)");
  assertEquals(item("# x"), "&#35;&#8203; x");
  assertEquals(item("- x"), "&#45; x");
  assertEquals(item("1. x"), "1&#46; x");
  assertEquals(item("<img src=x onerror=y>"), "&#60;img src=x onerror=y&#62;");
  assertEquals(
    item("[a](b) *c* _d_ ~e~ `f`"),
    "&#91;a&#93;(b) &#42;c&#42; &#95;d&#95; &#126;e&#126; &#96;f&#96;",
  );
  assertEquals(item("http://x www.y @z"), "http:&#47;&#47;x www&#46;y &#64;&#8203;z");
  assertEquals(item("a | b \\ &lt;"), "a &#124; b &#92; &#38;lt;");
  assertEquals(item("a\r\nb\u202ec"), "a&#92;x0d&#92;x0ab&#92;u202ec");
});

Deno.test("comparisonMarkdown shortens long strings", () => {
  assertEquals([...cell("x".repeat(100_000))].length, 306);
  assertStringIncludes(cell("😀".repeat(1_000)), "😀…");
});

Deno.test("comparisonMarkdown lists warnings, tables with their notes, and the runs", () => {
  const section: Section = tableSection(
    "Endpoints",
    [
      { title: "Request", cell: () => nameCell("GET /") },
      { title: "Sent", only: "page", cell: () => "1" },
      { title: "p95", cell: () => "5ms" },
    ],
    [0, 1, 2],
    { first: 1 },
  );
  assertEquals(
    comparisonMarkdown({
      ...EMPTY,
      change: "worse",
      warnings: ["other target"],
      sections: [section],
    }),
    [
      "## ❌ Worse: shop",
      "",
      "- 0 endpoints slower",
      "",
      "**Warnings**",
      "",
      "- other target",
      "",
      "### Endpoints",
      "",
      "| Request | p95 |",
      "| --- | --- |",
      "| `GET /` | 5ms |",
      "",
      "and 2 more rows",
      "",
      "<details><summary>Runs</summary>",
      "",
      "- a.json",
      "- b.json",
      "",
      "</details>",
      "",
    ].join("\n"),
  );
});

Deno.test("comparisonAnnotations maps the verdict to a severity and escapes strings", () => {
  const first = (change: Comparison["change"], file?: string) =>
    comparisonAnnotations({ ...EMPTY, change, warnings: ["b: 5%\n::error::x"] }, file).split("\n");
  assertEquals(
    first("worse", "shop.yaml")[0],
    "::error file=shop.yaml,title=Comparison%3A worse::0 endpoints slower",
  );
  assertEquals(first("not comparable")[0].split(" ")[0], "::warning");
  assertEquals(first("better")[0], "::notice title=Comparison%3A better::0 endpoints slower");
  assertEquals(first("better")[1], "::warning title=Comparison::b: 5%25%0A::error::x");
});
