import { safeJson, safeText } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { runWarnings } from "../run_warnings.ts";
import { incompleteness, verdictDoubts } from "../verdict_doubts.ts";
import { TABLE_ROWS, type Value } from "./run_tables.ts";
import { RUN_TABLES, type RunTable } from "./table_names.ts";

/** Version of the JSON format of a run. It increases when a key is removed or redefined. */
const RUN_FORMAT = 1;

/**
 * Serializes the data of a run's report as one line of JSON: properties of the run, and the rows of
 * each table.
 */
export function runJson(summary: Summary): string {
  const { name, started_at, duration_ms, ending, passed, failure, plan_hash, environment } =
    summary;
  const tables = RUN_TABLES.map((table) => [table, TABLE_ROWS[table](summary)] as const);
  return safeJson({
    run: RUN_FORMAT,
    name,
    started_at,
    duration_ms,
    ending,
    passed,
    failure: failure ?? null,
    incomplete: incompleteness(summary),
    doubts: verdictDoubts(summary),
    warnings: runWarnings(summary),
    plan_hash,
    environment: environment ?? null,
    tables: Object.fromEntries(tables),
    samples: (summary.failures ?? []).filter(({ sample }) => sample !== undefined),
  }) + "\n";
}

/**
 * Serializes a table of a run as CSV with a header line. Returns an empty string for an empty
 * table.
 */
export function runCsv(summary: Summary, table: RunTable): string {
  const rows = TABLE_ROWS[table](summary);
  if (rows.length === 0) return "";
  const columns = Object.keys(rows[0]);
  const lines = [columns, ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  return lines.map((cells) => cells.map(quoted).join(",") + "\r\n").join("");
}

function cellText(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const counts = typeof value === "object" ? Object.entries(value) : undefined;
  const text = safeText(counts?.map((pair) => pair.join(":")).join(" ") ?? String(value));
  // Spreadsheets evaluate text that starts with one of these characters as a formula.
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
