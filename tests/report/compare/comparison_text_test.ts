// deno-lint-ignore-file no-control-regex -- color sequences
import { assert, assertEquals, assertMatch } from "@std/assert";
import { textWidth } from "../../../src/base/safe_text.ts";
import { describeComparison } from "../../../src/report/compare/comparison_report.ts";
import { comparisonText, comparisonVerdict } from "../../../src/report/compare/print_comparison.ts";
import { longSummary } from "../../builders/long_summary.ts";

const HOSTILE = "\x1b[2J\u202e::error::x";
const runs = (count: number, step: number) =>
  Array.from({ length: count }, (_, i) => ({
    file: `runs/${i}.json`,
    summary: longSummary({
      seconds: 60,
      endpoints: 30,
      slower: 1 + step * i,
      seed: i + 1,
      name: (k) => `${HOSTILE} ${k}`,
    }),
  }));

Deno.test("comparisonText shows two runs within 80 columns, changed endpoints first", () => {
  const found = describeComparison(runs(2, 0.5));
  const text = comparisonText(found, false, 80);
  const lines = text.split("\n");
  assert(lines.every((line) => textWidth(line) <= 80), text);
  assertEquals(/[\x1b\u202e]/.test(text), false);
  assertMatch(text, /^ {2}p50 +24\.1ms +\S+ms +\+\d+\.\d\d% {2}✗ slower$/m);
  const endpoints = lines.slice(lines.indexOf("Endpoints") + 2);
  assertMatch(endpoints[0], /✗ slower$/);
  assertEquals(endpoints[20], "  and 10 more rows");
});

Deno.test("comparisonText shows several runs within 80 columns", () => {
  const text = comparisonText(describeComparison(runs(9, 0.1)), false, 80);
  const tables = text.slice(text.indexOf("\nRuns\n"));
  assert(tables.split("\n").every((line) => textWidth(line) <= 80), tables);
  assertMatch(tables, /^ {4}9 {2}8\.json +\S+ms /m);
});

Deno.test("comparisonText shows dashes for the values of incomplete runs", () => {
  const [first, second, third] = runs(3, -0.05);
  const cut = { ...second, summary: { ...second.summary, ending: "interrupted" as const } };
  const text = comparisonText(describeComparison([first, cut, third]), false);
  assertMatch(text, /^ {4}2 {2}1\.json +– +– +– +– +– +– +✓ Passed$/m);
});

Deno.test("comparisonVerdict colors the verdict and breaks lines between words", () => {
  const found = describeComparison(runs(2, 0.5));
  const colored = comparisonVerdict(found, true, 60);
  assertMatch(colored, /^\x1b\[33mwarning:\x1b\[0m the targets, options and machines /);
  assertMatch(colored, /^\x1b\[31mworse: all requests slower/m);
  const plain = comparisonVerdict(found, false, 60);
  assert(plain.split("\n").every((line) => textWidth(line) <= 60), plain);
  assertEquals(plain.includes("\x1b"), false);
});
