import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/csv/parse";
import { runCsv, runJson } from "../../../src/report/export/export_run.ts";
import { RUN_TABLES } from "../../../src/report/export/table_names.ts";
import { longSummary } from "../../builders/long_summary.ts";
import { BUSY } from "../../builders/summary.ts";
import { runCli } from "../../support/cli.ts";

const SUMMARY = longSummary({ seconds: 20, endpoints: 10 });

Deno.test("runCsv writes the endpoints with their rates, shares and times", () => {
  const [columns, ...rows] = parse(runCsv(SUMMARY, "endpoints"));
  assertEquals(rows.length, 10);
  const of = (row: readonly string[], column: string) => row[columns.indexOf(column)];
  const all = SUMMARY.endpoints.reduce((sum, { count }) => sum + count, 0);
  SUMMARY.endpoints.forEach((endpoint, i) => {
    const { count, failed, http_req_duration: times, statuses } = endpoint;
    assertEquals(of(rows[i], "name"), endpoint.name);
    assertEquals(Number(of(rows[i], "share")), count / all);
    assertEquals(Number(of(rows[i], "per_second")), count / (SUMMARY.duration_ms / 1_000));
    assertEquals(Number(of(rows[i], "failed_share")), failed / count);
    assertEquals(Number(of(rows[i], "p99.9")), times["p(99.9)"]);
    const list = Object.entries(statuses).map(([status, n]) => `${status}:${n}`).join(" ");
    assertEquals(of(rows[i], "statuses"), list);
  });
  assertEquals(of(rows[1], "group"), "shop");
});

Deno.test("runJson contains the rows of every table", () => {
  const { run, tables, samples, passed } = JSON.parse(runJson(SUMMARY));
  assertEquals([run, passed, samples.length], [1, SUMMARY.passed, 0]);
  assertEquals(Object.keys(tables), [...RUN_TABLES]);
  for (const table of RUN_TABLES) {
    const lines = parse(runCsv(SUMMARY, table));
    assertEquals(Math.max(0, lines.length - 1), tables[table].length, table);
    assert(tables[table].length > 0, table);
    for (const row of tables[table]) assertEquals(Object.keys(row), lines[0], table);
  }
  const { timeline, phases } = tables;
  assertEquals(timeline[3].requests, SUMMARY.timeline[3].requests);
  assertEquals([phases[0].target, phases[0].unit], [48, "rates"]);
});

Deno.test("docs/reports.md describes every key of the JSON and every column of a table", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/reports.md", import.meta.url));
  const [, part] = page.match(/\n### Export the data of a report\n(.*?)\n## /s)!;
  const { tables, ...rest } = JSON.parse(runJson(SUMMARY));
  const isNamed = (name: string) => part.includes(`\`${name}\``);
  assertEquals([...Object.keys(rest), "tables"].filter((key) => !isNamed(key)), []);
  for (const table of RUN_TABLES) {
    const columns = part.split("\n").find((line) => line.startsWith(`| \`${table}\``))!
      .split("|")[3].match(/`[^`]+`/g)!.map((column) => column.slice(1, -1));
    assertEquals(columns, Object.keys(tables[table][0]), table);
  }
});

Deno.test("runCsv writes nothing for tables that an older summary does not contain", () => {
  for (const table of ["failures", "groups", "phases", "endpoints-over-time"] as const) {
    assertEquals(runCsv(BUSY, table), "", table);
  }
  assert(JSON.parse(runJson(BUSY)).tables.endpoints.length > 0);
});

Deno.test("runCsv escapes separators, formulas and control characters", () => {
  const [first] = BUSY.endpoints;
  const name = '=HYPERLINK("http://x"),\u202e\x1b[31m\nb';
  const text = runCsv({ ...BUSY, endpoints: [{ ...first, name }] }, "endpoints");
  const [, row] = parse(text);
  assertEquals(row[2], `'=HYPERLINK("http://x"),\\u202e\\x1b[31m\\x0ab`);
  assert(!text.includes("\x1b") && !text.includes("\u202e"));
  const statuses = { "=1+1\x1b": 2, "200": 1 };
  const lines = parse(runCsv({ ...BUSY, endpoints: [{ ...first, statuses }] }, "endpoints"));
  assertEquals(lines[1].at(-1), "200:1 =1+1\\x1b:2");
  const odd = { ...first, statuses: { "=1": 2 } };
  assertEquals(parse(runCsv({ ...BUSY, endpoints: [odd] }, "endpoints"))[1].at(-1), "'=1:2");
});

Deno.test("report writes CSV and JSON of one summary, and rejects incompatible options", async () => {
  const stdin = () => new TextEncoder().encode(JSON.stringify(BUSY));
  const report = (...options: string[]) => runCli(["report", "-", ...options], { stdin: stdin() });
  assertEquals((await report("--format", "csv")).stdout, runCsv(BUSY, "endpoints"));
  const checks = await report("--format", "csv", "--table", "checks");
  assertEquals(checks.stdout, runCsv(BUSY, "checks"));
  assertEquals((await report("--format", "json")).stdout, runJson(BUSY));
  for (
    const [options, message] of [
      [["--table", "checks"], "--table works with --format csv only"],
      [["--format", "csv", "--table", "nothing"], "--table"],
      [["--format", "json", "--plan", "p.yaml"], "--plan works with --format html only"],
      [["--format", "markdown"], "needs two summaries"],
    ] as const
  ) {
    const { code, stderr } = await report(...options);
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
  }
  const two = await runCli(["report", "a.json", "b.json", "--format", "csv"]);
  assertEquals(two.code, 2);
  assertStringIncludes(two.stderr, "works with one summary only");
});
