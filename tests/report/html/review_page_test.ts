import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import type { Review } from "../../../src/report/text/review.ts";
import { reviewPage } from "../../../src/report/html/review_page.ts";
import { exampleReview } from "../../builders/review.ts";

async function page(changes: Partial<Review> = {}) {
  const text = await reviewPage(exampleReview(changes));
  const parsed = parseHtml(text);
  const all = (selector: string, attribute?: string) => [...selectCss(selector, attribute, parsed)];
  return { text, all };
}

Deno.test("reviewPage shows the calls in order with entry, method, URL, status and result", async () => {
  const { all } = await page();
  const rows = '[aria-label="Calls"] tbody';
  assertEquals(all(`${rows} th`), ["3", "12"]);
  assertEquals(all(`${rows} tr:nth-child(2) td`), [
    ...["POST", "https://shop.example/login", "302", "stale"],
    "depends on request 1 (GET /login)",
  ]);
});

Deno.test("reviewPage links each value with its source and its consumers", async () => {
  const { all } = await page();
  const row = '[aria-label="Values"] tbody tr:nth-child(1)';
  assertEquals(all(`${row} a`, "href"), ["#call-1", "#call-2"]);
  assertEquals(all(`${row} td`).slice(0, 4), [
    "stale",
    "request 1 (GET /login)",
    "form csrf_token of request 2 (POST /login)",
    "sent as recorded",
  ]);
  assertEquals(all(`${row} pre`), [
    "# request 1 (GET /login)\nextract:\n  - type: css\n    name: csrf_token",
  ]);
  const links = all("a", "href");
  const ids = new Set(all("[id]", "id").map((id) => `#${id}`));
  assertEquals(links.filter((link) => !ids.has(link!)), []);
});

Deno.test("reviewPage collapses long lists of consumers", async () => {
  const { all } = await page();
  assertEquals(all("details summary"), ["2 more"]);
  assertEquals(all("td > ul > li").length + all("details li").length, 8);
});

Deno.test("reviewPage shows recorded and live values, differences and notes", async () => {
  const { all } = await page();
  assertEquals(all('[aria-label="Values"] tbody tr:nth-child(2) th code'), [
    "${next}",
    "/home",
    "/start",
  ]);
  assertEquals(all('[aria-label="Differences"] tbody td'), ["query page", "1", "2", "4"]);
  assertEquals(all('[aria-label="Notes"] tbody td'), [
    "warning",
    "request 1 (GET /login)",
    "missing",
  ]);
});

Deno.test("reviewPage can be sorted and searched, and labels its tables for screen readers", async () => {
  const { all } = await page();
  const tables = ["Calls", "Values", "Differences", "Notes"];
  assertEquals(all("div.scroll", "aria-label"), tables);
  assertEquals(all("table.sortable").length, tables.length);
  assertEquals(all('input[type="search"][data-filters="rows"]', "aria-label"), [
    "Search calls",
    "Search values",
    "Search differences",
    "Search notes",
  ]);
  assertEquals(all('thead th:not([scope="col"])'), []);
  assertEquals(all("tbody tr > th:first-child", "scope").filter((scope) => scope !== "row"), []);
  assertEquals(all('[aria-label="Calls"] tbody th', "data-value"), ["3", "12"]);
});

Deno.test("reviewPage is self-contained and has no charts", async () => {
  const { text } = await page();
  assert(!/(?:src|href)\s*=\s*["']?(?:https?:|\/)/.test(text));
  assert(!/\burl\(|@import|fetch\(/.test(text));
  assertStringIncludes(text, "default-src 'none'");
  assert(!text.includes("uPlot=function"));
  assert(text.length < 50_000, String(text.length));
});

Deno.test("reviewPage escapes recorded text everywhere", async () => {
  const hostile = `</script><img src=x onerror=alert(1)>"'\u202e\x1b[31m`;
  const { text, all } = await page({
    title: hostile,
    verdict: hostile,
    facts: [hostile],
    calls: [{
      name: hostile,
      method: hostile,
      url: hostile,
      result: hostile,
      rating: "bad",
      reason: hostile,
    }],
    values: [{
      variable: hostile,
      recorded: hostile,
      live: hostile,
      result: hostile,
      rating: "open",
      from: { call: hostile, place: hostile },
      to: [{ call: hostile, place: hostile }],
      reason: hostile,
      edit: hostile,
    }],
    differences: [{
      rating: "bad",
      call: hostile,
      what: hostile,
      recorded: hostile,
      actual: hostile,
    }],
    notes: [{ rating: "bad", kind: hostile, subject: hostile, message: hostile }],
  });
  assertEquals(all("img"), []);
  assert(!text.includes("<img"));
  assert(!text.includes("\u202e") && !text.includes("\x1b"));
});

Deno.test("reviewPage shortens long values, but not suggested edits", async () => {
  const long = "x".repeat(5_000);
  const { all } = await page({
    values: [{ recorded: long, result: "stale", rating: "bad", to: [], edit: long }],
  });
  assertEquals(all('[aria-label="Values"] tbody th code').map((text) => text!.length), [240]);
  assertEquals(all("pre").map((text) => text!.length), [5_000]);
});
