import type { Summary } from "../../engine/summary.ts";
import { checkLines } from "./checks.ts";
import { failingLines, slowestLines } from "./endpoints.ts";
import { errorLines } from "./errors.ts";
import { totalLines, trendLines } from "./metrics.ts";
import { scenarioLines } from "./scenarios.ts";
import { type Style, style } from "./style.ts";
import { thresholdLines } from "./thresholds.ts";
import { verdict } from "./verdict.ts";

/** How the report is to look. */
export interface SummaryLook {
  /** ANSI colours. */
  readonly color: boolean;
  /** Columns of the terminal; 80 is the least that tables are laid out for. */
  readonly width: number;
  /** Only what went well and what did not: no figures. */
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
];

const BRIEF: ReadonlySet<string> = new Set(["Checks", "Failed requests", "Errors"]);

/** The end summary of a run as text, the verdict in its last line. Recorded text in it is made safe. */
export function renderSummary(summary: Summary, look: SummaryLook): string {
  const dressed = style(look.color, Math.max(80, look.width));
  const shown = SECTIONS.filter(([title]) => !look.brief || BRIEF.has(title));
  const sections = shown.flatMap(([title, lines]) => {
    const found = lines(summary, dressed);
    return found.length === 0 ? [] : [dressed.strong(title), ...found, ""];
  });
  return [...sections, verdict(summary, dressed), ""].join("\n");
}
