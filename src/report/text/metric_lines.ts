import { textWidth } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { TrendStats } from "../../engine/summary/metric_stats.ts";
import { metricKind, metricNames } from "../summary_stats.ts";
import type { Block } from "../blocks.ts";
import { fitMiddle, INDENT, type Style } from "./print_blocks.ts";
import { bytes, count, percent, perSecond, time } from "../../base/format.ts";
import { SHOWN_TIMES, statLabel } from "../shown_times.ts";

/** Width of a table cell with a time, in columns: a space and at most six characters. */
const CELL = 7;
/** Width of the value of a counter, rate or gauge, in columns. */
const VALUE = 10;
/** Width of a metric name, in columns: the length of `http_req_latency_corrected`. */
const LABEL = 26;

/**
 * Gauges for which the summary shows the maximum first. For all other gauges, it shows the last
 * value first.
 */
const PEAKS: ReadonlySet<string> = new Set(["vus", "vus_max"]);

/** Lists counters, rates and gauges, one per line, in the same way as k6. */
export function totalBlocks({ metrics }: Summary, style: Style): Block[] {
  const lines = metricNames(metrics).flatMap((name) => {
    const values = totals(name, metrics[name]);
    if (values === undefined) return [];
    const [main, detail] = values;
    return entry(name, `${main.padStart(VALUE)}  ${detail}`, style);
  });
  return [{ lines }];
}

/** Lists the aggregations of all trends, except those that have no samples or only zeros. */
export function trendBlocks({ metrics }: Summary, style: Style): Block[] {
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

/** Returns a line with the name and the values of a metric, or two lines if the name is long. */
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

/**
 * Returns the value and the details of a metric. Returns undefined for trends and for metrics
 * without samples.
 */
function totals(
  name: string,
  metric: Summary["metrics"][string],
): [main: string, detail: string] | undefined {
  const found = metricKind(metric);
  if (found.kind === "trend") return undefined;
  if (found.kind === "gauge") {
    const { value, min, max } = found.stats;
    // The last value of `vus` says little: at the end of a run, most VUs have stopped.
    return PEAKS.has(name)
      ? [count(max), `max; min=${count(min)}, last=${count(value)}`]
      : [count(value), `last; min=${count(min)}, max=${count(max)}`];
  }
  if (found.kind === "rate") {
    const { value, passes, fails } = found.stats;
    if (passes + fails === 0) return undefined;
    return [percent(value), `${count(passes)} of ${count(passes + fails)}`];
  }
  const { count: n, rate } = found.stats;
  if (name === "dropped_iterations" && n === 0) return undefined;
  return name.startsWith("data_") ? [bytes(n), `${bytes(rate)}/s`] : [count(n), perSecond(rate)];
}
