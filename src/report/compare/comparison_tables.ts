import { percent, plural } from "../../base/format.ts";
import type { ChangeVerdict } from "./change.ts";
import type { TimeVerdict } from "./compared_endpoints.ts";

/** Color that marks a cell's value as good, as bad, or as less important. */
export type CellTone = "good" | "bad" | "faint";

/** A cell of a table that is shown as text or Markdown. */
export interface ComparisonCell {
  /** Text of the cell. It may contain recorded text, which is not escaped. */
  readonly text: string;
  readonly tone?: CellTone;
  /** True for names from the plan or the command line, which Markdown shows as code. */
  readonly isName?: boolean;
}

/** A table that is shown as text or Markdown. */
export interface ComparisonTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComparisonCell[])[];
  /** Line after the table, such as the number of rows that the table omits. */
  readonly note?: string;
}

/** Words for a better and a worse value of a metric. */
export type VerdictWords = readonly [better: string, worse: string];

/** Words for a better and a worse response time. */
export const TIME_WORDS: VerdictWords = ["faster", "slower"];

/** Words for a better and a worse share of failed requests. */
export const FAILURE_WORDS: VerdictWords = ["fewer", "more"];

/** Formats a verdict, such as `✗ slower`. */
export function verdictText(
  verdict: TimeVerdict,
  [better, worse]: VerdictWords,
): ComparisonCell {
  if (verdict === "worse") return { text: `✗ ${worse}`, tone: "bad" };
  if (verdict === "better") return { text: `✓ ${better}`, tone: "good" };
  return verdict === "mixed" ? { text: "✗ mixed", tone: "bad" } : { text: verdict, tone: "faint" };
}

/**
 * Formats the verdicts on the response times and the failures of an endpoint in one cell. `time` is
 * the cell for the response times alone.
 */
export function verdictsText(
  time: ComparisonCell,
  failed: ChangeVerdict,
): ComparisonCell {
  const cells = [time, verdictText(failed, MORE_FAILURES)].filter(({ tone }) => tone !== "faint");
  if (cells.length === 0) return time;
  const tone = cells.some(({ tone }) => tone === "bad") ? "bad" : "good";
  return { text: cells.map(({ text }) => text).join(", "), tone };
}

/**
 * Words for changes in the share of failed requests, in tables that also compare response times.
 */
const MORE_FAILURES: VerdictWords = ["fewer failures", "more failures"];

/** Creates a cell for a name from the plan or the command line. */
export function nameCell(text: string): ComparisonCell {
  return { text, isName: true };
}

/** Creates a cell for a value, or `–` if the value is undefined. */
export function valueCell<Value>(
  value: Value | undefined,
  write: (value: Value) => string,
): ComparisonCell {
  return { text: value === undefined ? "–" : write(value) };
}

/** Creates a cell for a share of failed requests, from 0 to 1. */
export function failedCell(share: number | undefined): ComparisonCell {
  return { ...valueCell(share, percent), ...(share !== undefined && share > 0 && { tone: "bad" }) };
}

/** Keeps at most the first `most` rows of a table. The note states how many rows are omitted. */
export function firstRows(table: ComparisonTable, most: number): ComparisonTable {
  const more = table.rows.length - most;
  if (more <= 0) return table;
  return {
    ...table,
    rows: table.rows.slice(0, most),
    note: `and ${plural(more, "more row")}`,
  };
}
