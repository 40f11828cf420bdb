import { textWidth } from "../../base/text_width.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { TrendStats } from "../../engine/summary/metric_stats.ts";
import { metricKind } from "../summary_stats.ts";
import { fit, type Style } from "./layout.ts";
import { bytes, count, percent, perSecond, time } from "../../base/format.ts";
import { SHOWN_TIMES, statLabel } from "../shown_times.ts";

/** Width of a time column: a space and at most six characters. */
const CELL = 7;
/** Width of a total, in columns. */
const VALUE = 10;
/** Width of a metric name, in columns: the length of `http_req_latency_corrected`. */
const LABEL = 26;

/** Lists counters, rates and gauges, one per line, as k6 does. */
export function totalLines({ metrics }: Summary, style: Style): string[] {
  return names(metrics).flatMap((name) => {
    const values = totals(name, metrics[name]);
    if (values === undefined) return [];
    const [main, detail] = values;
    return entry(name, `${main.padStart(VALUE)}  ${detail}`, style);
  });
}

/** Formats trends as a table of their aggregations. Omits trends without samples or with zeros only. */
export function trendLines({ metrics }: Summary, style: Style): string[] {
  const lines = names(metrics).flatMap((name) => {
    const metric = metricKind(metrics[name]);
    return metric.kind === "trend" && metric.stats.max > 0
      ? entry(name, times(metric.stats), style)
      : [];
  });
  if (lines.length === 0) return [];
  const head = SHOWN_TIMES.textTrends.map((aggregation) => statLabel(aggregation).padStart(CELL))
    .join("");
  return [`  ${" ".repeat(LABEL)}${style.faint(head)}`, ...lines];
}

function times(stats: TrendStats): string {
  return SHOWN_TIMES.textTrends.map((key) => time(stats[key]).padStart(CELL)).join("");
}

/** Returns a metric's name with its values after it, or below it if the name is long. */
function entry(name: string, values: string, { faint, width }: Style): string[] {
  const text = label(name, width);
  if (textWidth(text) > LABEL) return [`  ${text}`, `  ${" ".repeat(LABEL)}${values}`];
  return [`  ${text}${faint(".".repeat(LABEL - textWidth(text)))}${values}`];
}

/** Sorts metrics by name, so that each sub-metric follows its metric. */
function names(metrics: Summary["metrics"]): string[] {
  return Object.keys(metrics).sort();
}

/** Returns the metric's name, or only the indented tags of a sub-metric. */
function label(name: string, width: number): string {
  const tags = name.indexOf("{");
  return fit(tags < 0 ? name : `  ${name.slice(tags)}`, width - 4);
}

/** Returns a metric's value and its details; undefined for trends and metrics without samples. */
function totals(
  name: string,
  metric: Summary["metrics"][string],
): [main: string, detail: string] | undefined {
  const found = metricKind(metric);
  if (found.kind === "trend") return undefined;
  if (found.kind === "gauge") {
    const { value, min, max } = found.stats;
    return [count(value), `min=${count(min)} max=${count(max)}`];
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
