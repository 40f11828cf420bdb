import type { Summary } from "../../engine/summary/summary.ts";
import { runWarnings } from "../run_warnings.ts";
import { checkLines, thresholdLines } from "./result_lines.ts";
import { errorLines, failingLines, slowestLines } from "./endpoint_lines.ts";
import { totalLines, trendLines } from "./metric_lines.ts";
import { scenarioLines } from "./scenario_lines.ts";
import { type Style, style } from "./layout.ts";
import { verdictLines } from "./verdict_line.ts";

/** Formatting options of a text summary. */
export interface SummaryLook {
  /** True to use ANSI colours. */
  readonly color: boolean;
  /**
   * Width of the terminal in columns, or Infinity for a pipe. Tables are at least 80 columns wide.
   */
  readonly width: number;
  /** True to print only checks, failures, errors and warnings, without metrics. */
  readonly brief?: boolean;
}

const SECTIONS: readonly [title: string, lines: (summary: Summary, style: Style) => string[]][] = [
  ["Thresholds", thresholdLines],
  ["Checks", checkLines],
  ["Totals", totalLines],
  ["Times", trendLines],
  ["Scenarios", scenarioLines],
  ["Slowest endpoints", slowestLines],
  ["Failed requests", failingLines],
  ["Errors", errorLines],
  ["Warnings", warningLines],
];

const BRIEF: ReadonlySet<string> = new Set(["Checks", "Failed requests", "Errors", "Warnings"]);

/** Lists the warnings about the whole run. */
function warningLines(summary: Summary, style: Style): string[] {
  return runWarnings(summary).filter(({ scenario }) => scenario === undefined)
    .map(({ text }) => style.bad(`  ${text}`));
}

/** Formats the end-of-run summary as text. Its last line is the verdict. Recorded text is made safe. */
export function renderSummary(summary: Summary, look: SummaryLook): string {
  const dressed = style(look.color, Math.max(80, look.width));
  const shown = SECTIONS.filter(([title]) => !look.brief || BRIEF.has(title));
  const sections = shown.flatMap(([title, lines]) => {
    const found = lines(summary, dressed);
    return found.length === 0 ? [] : [dressed.strong(title), ...found, ""];
  });
  const last = verdictLines(summary, style(look.color, look.width));
  return [...sections, ...last, ""].join("\n");
}
