import { count, formatMs, percent, perSecond, plural, time } from "../../base/format.ts";
import { textWidth } from "../../base/safe_text.ts";
import type { TrendStats } from "../../engine/summary/flow_stats.ts";
import type { ScenarioSummary, Summary } from "../../engine/summary/summary.ts";
import { isAborted } from "../../engine/summary/verdict.ts";
import type { Block, Section } from "../blocks.ts";
import { runWarnings } from "../run_warnings.ts";
import { metricKind, metricNames, SHOWN_TIMES, statLabel } from "../stats.ts";
import { ENDING_WORDS, incompleteness, metricTotal, verdictDoubts } from "../summary_words.ts";
import { fit, fitMiddle, INDENT, printText, type Style, style, wrapWords } from "./print_blocks.ts";
import {
  checkBlocks,
  errorBlocks,
  failingBlocks,
  slowestBlocks,
  thresholdTable,
} from "./result_blocks.ts";

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
  ["Thresholds", ({ thresholds }, { width }) => [thresholdTable(thresholds, width)]],
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

function scenarioBlocks(summary: Summary, style: Style): Block[] {
  const warnings = runWarnings(summary);
  const lines = summary.scenarios.flatMap((scenario) => [
    `  ${fit(scenario.name, 40)} ${style.faint(`(${fit(scenario.executor, 30)})`)}`,
    `    ${scenario.schedule_lag_us === null ? closed(scenario) : open(scenario, summary)}`,
    ...warnings.filter((warning) => warning.scenario === scenario.name).flatMap(({ text }) =>
      wrapWords(text, style.width - 4).map((line) => style.bad(`    ${line}`))
    ),
    ...lateness(scenario.schedule_lag_us, style),
  ]);
  return [{ lines }];
}

function closed(
  { iterations, planned, dropped, max_vus, unstarted_vus = 0 }: ScenarioSummary,
): string {
  const most = plural(max_vus - unstarted_vus, "VU");
  const done = dropped > 0
    ? `${count(iterations)} of ${plural(planned ?? iterations, "planned iteration")}`
    : plural(iterations, "iteration");
  return `${done} by at most ${most} at once`;
}

/**
 * Formats the iterations of a scenario with an open model: `497 of 500 scheduled iterations started
 * (99.40%): 49.7/s of 50/s`. Omits the rates if the shards ran at different times, because such
 * rates cannot be added.
 */
function open(
  { iterations, interrupted, dropped, scheduled_ms }: ScenarioSummary,
  { accepted }: Summary,
): string {
  const started = iterations + interrupted;
  const scheduled = started + dropped;
  const share = percent(scheduled === 0 ? 1 : started / scheduled);
  const rate = (n: number) => perSecond(n / scheduled_ms! * 1_000);
  const isShifted = accepted.some(({ flaw }) => flaw === "shifted");
  const rates = scheduled_ms && !isShifted ? `: ${rate(started)} of ${rate(scheduled)}` : "";
  return `${count(started)} of ${
    plural(scheduled, "scheduled iteration")
  } started (${share})${rates}`;
}

function lateness(lag: TrendStats | null, style: Style): string[] {
  if (lag === null || lag.count === 0) return [];
  const [med, p99, max] = [lag.med, lag["p(99)"], lag.max].map((us) => time(us / 1_000));
  return [style.faint(`    start delay: ${med} (median), ${p99} (p99), ${max} (max)`)];
}

/** Width of a table cell with a time, in columns: a space and at most six characters. */
const CELL = 7;
/** Width of the value of a counter, rate or gauge, in columns. */
const VALUE = 10;
/** Width of a metric name, in columns: the length of `http_req_latency_corrected`. */
const LABEL = 26;

function totalBlocks({ metrics }: Summary, style: Style): Block[] {
  const lines = metricNames(metrics).flatMap((name) => {
    const total = metricTotal(name, metrics[name]);
    if (total === undefined) return [];
    return entry(name, `${total.cell.text.padStart(VALUE)}  ${total.detail}`, style);
  });
  return [{ lines }];
}

function trendBlocks({ metrics }: Summary, style: Style): Block[] {
  const lines = metricNames(metrics).flatMap((name) => {
    const metric = metricKind(metrics[name]);
    return metric.kind === "trend" && metric.stats.max > 0
      ? entry(name, times(metric.stats), style)
      : [];
  });
  if (lines.length === 0) return [];
  const head = SHOWN_TIMES.textTrends.map((aggregation) => statLabel(aggregation).padStart(CELL))
    .join("");
  return [{ lines: [`  ${" ".repeat(LABEL)}${style.faint(head)}`, ...lines] }];
}

function times(stats: TrendStats): string {
  return SHOWN_TIMES.textTrends.map((key) => time(stats[key]).padStart(CELL)).join("");
}

function entry(name: string, values: string, { faint, width }: Style): string[] {
  const text = label(name, width);
  if (textWidth(text) > LABEL) return [`  ${text}`, `  ${" ".repeat(LABEL)}${values}`];
  return [`  ${text}${faint(".".repeat(LABEL - textWidth(text)))}${values}`];
}

/** Returns the name of a metric. For a submetric, returns only its tags, indented. */
function label(name: string, width: number): string {
  const tags = name.indexOf("{");
  return fitMiddle(tags < 0 ? name : `  ${name.slice(tags)}`, width - INDENT);
}
