import { environmentParts, formatTime, thresholdCounts } from "../summary_words.ts";
import { compareRuns, type RunChange } from "./compare_runs.ts";
import type { ComparisonTable } from "./comparison_tables.ts";
import { compareHistory } from "./history.ts";
import { pairTables } from "./pair_tables.ts";
import { type ComparedRun, comparisonWarnings } from "./run_differences.ts";

/**
 * A comparison of runs in a form that every text format can render. Its strings may contain
 * recorded text, which is not escaped.
 */
export interface ComparisonDocument {
  /** Name of the last run; empty for a run without a name. */
  readonly name: string;
  readonly change: RunChange;
  /** Reasons for the verdict, at least one. */
  readonly reasons: readonly string[];
  /** Reasons to doubt the comparison. */
  readonly warnings: readonly string[];
  /** One line for each run: its file, start time and conditions. */
  readonly runs: readonly string[];
  readonly tables: readonly ComparisonTable[];
}

/** Compares at least two runs, in the order in which they are given. */
export function describeComparison(runs: readonly ComparedRun[]): ComparisonDocument {
  const [before, after] = runs.map(({ summary }) => summary);
  const common = {
    name: runs[runs.length - 1].summary.name,
    warnings: comparisonWarnings(runs),
    runs: runs.map(describeRun),
  };
  if (runs.length > 2) return { ...common, ...compareHistory(runs) };
  const { change, details } = compareRuns(before, after);
  return { ...common, change, reasons: [details], tables: pairTables(before, after) };
}

function describeRun({ file, summary }: ComparedRun): string {
  const [, result] = thresholdCounts(summary);
  const conditions = summary.environment === undefined ? [] : environmentParts(summary.environment);
  return [file, formatTime(summary.started_at), result, ...conditions].join(" · ");
}
