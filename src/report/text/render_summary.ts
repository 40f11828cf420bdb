import type { Summary } from "../../engine/summary/summary.ts";
import { runWarnings } from "../run_warnings.ts";
import { incompleteness, verdictDoubts } from "../verdict_doubts.ts";
import type { Block, Section } from "../blocks.ts";
import { checkBlocks, thresholdBlocks } from "./result_lines.ts";
import { errorBlocks, failingBlocks, slowestBlocks } from "./endpoint_lines.ts";
import { totalBlocks, trendBlocks } from "./metric_lines.ts";
import { scenarioBlocks } from "./scenario_lines.ts";
import { fit, printText, type Style, style } from "./print_blocks.ts";
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

const SECTIONS: readonly [title: string, blocks: (summary: Summary, style: Style) => Block[]][] = [
  ["Thresholds", thresholdBlocks],
  ["Totals", totalBlocks],
  // Failures come before long lists, so that nobody has to search for them.
  ["Failed requests", failingBlocks],
  ["Errors", errorBlocks],
  ["Checks", checkBlocks],
  ["Times", trendBlocks],
  ["Scenarios", scenarioBlocks],
  ["Slowest endpoints", slowestBlocks],
  ["Warnings", warningBlocks],
];

const BRIEF: ReadonlySet<string> = new Set(["Checks", "Failed requests", "Errors", "Warnings"]);

/** Lists the warnings about the whole run. */
function warningBlocks(summary: Summary, style: Style): Block[] {
  const lines = runWarnings(summary).filter(({ scenario }) => scenario === undefined)
    .map(({ text }) => style.bad(`  ${text}`));
  return [{ lines }];
}

/**
 * Formats the summary of a run as text. The last line is the verdict. Recorded text is made safe to
 * print.
 */
export function renderSummary(summary: Summary, look: SummaryLook): string {
  const dressed = style(look.color, Math.max(80, look.width));
  const sections = SECTIONS.filter(([title]) => !look.brief || BRIEF.has(title))
    .map(([title, blocks]): Section => ({ title, blocks: blocks(summary, dressed) }));
  const last = verdictLines(summary, style(look.color, look.width));
  return [...printText(sections, dressed), ...last, ""].join("\n");
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
