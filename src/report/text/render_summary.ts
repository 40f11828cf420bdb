import type { Summary } from "../../engine/summary/summary.ts";
import { runWarnings } from "../run_warnings.ts";
import { incompleteness, verdictDoubts } from "../verdict_doubts.ts";
import { checkLines, thresholdLines } from "./result_lines.ts";
import { errorLines, failingLines, slowestLines } from "./endpoint_lines.ts";
import { totalLines, trendLines } from "./metric_lines.ts";
import { scenarioLines } from "./scenario_lines.ts";
import { fit, type Style, style } from "./layout.ts";
import { formatMs, plural } from "../../base/format.ts";
import { isAborted } from "../../engine/summary/verdict.ts";
import { textWidth } from "../../base/safe_text.ts";
import { ENDING_WORDS } from "../summary_words.ts";

/** Formatting options of a text summary. */
export interface SummaryLook {
  /** True to use ANSI colors. */
  readonly color: boolean;
  /**
   * Width of the terminal in columns. Tables may be 80 columns wide even if the terminal is
   * narrower.
   */
  readonly width: number;
  /** True to omit metrics and print only checks, failures, errors and warnings (default: false). */
  readonly brief?: boolean;
}

const SECTIONS: readonly [title: string, lines: (summary: Summary, style: Style) => string[]][] = [
  ["Thresholds", thresholdLines],
  ["Totals", totalLines],
  // Failures come before long lists, so that nobody has to search for them.
  ["Failed requests", failingLines],
  ["Errors", errorLines],
  ["Checks", checkLines],
  ["Times", trendLines],
  ["Scenarios", scenarioLines],
  ["Slowest endpoints", slowestLines],
  ["Warnings", warningLines],
];

const BRIEF: ReadonlySet<string> = new Set(["Checks", "Failed requests", "Errors", "Warnings"]);

/** Formats the warnings about the whole run. */
function warningLines(summary: Summary, style: Style): string[] {
  return runWarnings(summary).filter(({ scenario }) => scenario === undefined)
    .map(({ text }) => style.bad(`  ${text}`));
}

/**
 * Formats the summary of a run as text. The last line is the verdict. Recorded text is made safe to
 * print.
 */
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

/**
 * Returns the last lines of the report: the reasons why the run is incomplete (if any), how it
 * ended, its name, and the verdict.
 */
function verdictLines(summary: Summary, style: Style): string[] {
  const { ending, duration_ms, name, seed, accepted } = summary;
  const reasons = incompleteness(summary).map((reason) =>
    style.bad(fit(accepted.length > 0 ? `incomplete run: ${reason}` : reason, style.width))
  );
  const how = fit(`${ENDING_WORDS[ending]} ${formatMs(duration_ms)}, seed ${seed}`, style.width);
  const title = fit(name, style.width);
  const inOne = title === "" ? how : `${title}: ${how}`;
  const run = textWidth(inOne) <= style.width ? [inOne] : [title, how];
  const [text, paint] = describeVerdict(summary, style);
  const doubts = verdictDoubts(summary).map((doubt) => `; ${style.bad(`⚠ ${doubt}`)}`);
  return [...reasons, ...run, paint(text) + doubts.join("")];
}

function describeVerdict(summary: Summary, style: Style): [string, (text: string) => string] {
  const { thresholds, ending, passed, failure, accepted, incomplete, shards } = summary;
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const all = plural(thresholds.length, "threshold");
  if (failure !== undefined) {
    const others = failed > 0 ? `; ${failed} of ${all} failed` : "";
    return [`✗ FAILED: ${failure}${others}`, style.bad];
  }
  if (failed > 0) return [`✗ FAILED ${failed} of ${all}`, style.bad];
  if (passed) return [`✓ PASSED ${all}`, style.good];
  if (isAborted(ending)) return ["✗ FAILED: aborted", style.bad];
  if (incomplete) return ["✗ INCOMPLETE, unless `--allow incomplete` accepts it", style.bad];
  if (accepted.length > 0) return ["INCOMPLETE", style.strong];
  if (ending === "interrupted") return ["INTERRUPTED", style.strong];
  if (thresholds.length === 0) return ["DONE, no thresholds", style.strong];
  const [{ shard }] = shards;
  // Only `--once` does not evaluate the thresholds of a whole run.
  if (shard === "1/1") return [`DONE, ${all} not evaluated with --once`, style.strong];
  return [`SHARD ${fit(shard, 15)}, ${all} not evaluated`, style.strong];
}
