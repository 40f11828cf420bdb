import { formatMs, plural } from "../../base/format.ts";
import { textWidth, wrapWords } from "../../base/safe_text.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { isAborted } from "../../engine/summary/verdict.ts";
import { countCell, type Section, tableSection } from "../blocks.ts";
import {
  checkSection,
  errorSection,
  failureSection,
  rankChecks,
  scenarioSection,
  thresholdSection,
  trendColumns,
  trendSection,
} from "../run_sections.ts";
import { runWarnings } from "../run_warnings.ts";
import { hasRareEndpoints, metricNames, RANK_RULE, SHOWN_TIMES, slowestFirst } from "../stats.ts";
import { ENDING_WORDS, incompleteness, metricTotal, verdictDoubts } from "../summary_words.ts";
import { fit, INDENT, printText, type Style, style } from "./print_blocks.ts";

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

/** Failures come before long lists, so that nobody has to search for them. */
function textSections(summary: Summary, brief: boolean, style: Style): Section[] {
  const failures = [failureSection(summary), errorSection(summary)];
  const checks = checkSection(rankChecks(summary.checks));
  if (brief) return [...failures, checks, warningSection(summary, style)];
  return [
    thresholdSection(summary),
    totalSection(summary),
    ...failures,
    checks,
    trendSection(summary),
    scenarioSection(summary),
    slowestSection(summary),
    warningSection(summary, style),
  ];
}

/** Lists the metrics that are not times, which only text shows: pages show the most important. */
function totalSection({ metrics }: Summary): Section {
  const totals = metricNames(metrics).flatMap((name) => {
    const total = metricTotal(name, metrics[name]);
    return total === undefined ? [] : [{ name, ...total }];
  });
  return tableSection(
    "Totals",
    [
      { title: "", long: "line", cell: ({ name }) => name },
      { title: "", cell: ({ cell }) => cell },
      { title: "", cell: ({ detail }) => detail },
    ],
    totals,
    { only: "text" },
  );
}

const MAX_SLOW = 5;

/** Lists the slowest endpoints for text; a page has a table of all endpoints instead. */
function slowestSection({ endpoints }: Pick<Summary, "endpoints">): Section {
  const p95 = ({ http_req_duration }: EndpointStats) => http_req_duration["p(95)"];
  const isUnique = ({ name, scenario }: EndpointStats) =>
    endpoints.every((other) => other.name !== name || other.scenario === scenario);
  return tableSection<EndpointStats>(
    hasRareEndpoints(endpoints) ? `Slowest endpoints (${RANK_RULE})` : "Slowest endpoints",
    [
      {
        title: "Request",
        long: "line",
        cell: (one) => isUnique(one) ? one.name : `${one.scenario}: ${one.name}`,
      },
      { title: "Sent", cell: ({ count }) => countCell(count) },
      ...trendColumns<EndpointStats>(
        SHOWN_TIMES.slowestEndpoints,
        ({ http_req_duration }) => http_req_duration,
      ),
    ],
    slowestFirst(endpoints, p95).slice(0, MAX_SLOW),
    { only: "text" },
  );
}

function warningSection(summary: Summary, style: Style): Section {
  const lines = runWarnings(summary).flatMap(({ scenario, text }) =>
    wrapWords(scenario === undefined ? text : `${fit(scenario, 40)}: ${text}`, style.width - INDENT)
      .map((line) => style.bad(`  ${line}`))
  );
  return { title: "Warnings", blocks: [{ lines }] };
}

/**
 * Formats the summary of a run as text. The last line is the verdict. Recorded text is made safe to
 * print.
 */
export function renderSummary(summary: Summary, look: SummaryLook): string {
  const dressed = style(look.color, Math.max(80, look.width));
  const sections = textSections(summary, look.brief === true, dressed);
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
