import { textWidth } from "../../base/text_width.ts";
import type { Summary, TrendStats } from "../../engine/summary.ts";
import { metricKind } from "../metric_kind.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { bytes, count, percent, perSecond, time } from "./units.ts";

const AGGREGATIONS = ["avg", "min", "med", "max", "p(90)", "p(95)", "p(99)"] as const;
/** Columns of a time: six characters and a space before them. */
const CELL = 7;
/** Columns of a total. */
const VALUE = 10;
/** As long as the longest name that there always is, `http_req_latency_corrected`. */
const LABEL = 26;

/** Counters, rates and gauges, one a line, as k6 prints them. */
export function totalLines({ metrics }: Summary, style: Style): string[] {
  return names(metrics).flatMap((name) => {
    const figures = totals(name, metrics[name]);
    if (figures === undefined) return [];
    const [main, detail] = figures;
    return entry(name, `${main.padStart(VALUE)}  ${detail}`, style);
  });
}

/** Trends as a table of their aggregations; those without a sample or a time are left out. */
export function trendLines({ metrics }: Summary, style: Style): string[] {
  const lines = names(metrics).flatMap((name) => {
    const metric = metricKind(metrics[name]);
    return metric.kind === "trend" && metric.figures.max > 0
      ? entry(name, times(metric.figures), style)
      : [];
  });
  if (lines.length === 0) return [];
  const head = AGGREGATIONS.map((aggregation) => aggregation.padStart(CELL)).join("");
  return [`  ${" ".repeat(LABEL)}${style.faint(head)}`, ...lines];
}

function times(figures: TrendStats): string {
  return AGGREGATIONS.map((key) => time(figures[key]).padStart(CELL)).join("");
}

/** The figures behind the metric's name, or under it when that is long. */
function entry(name: string, figures: string, { faint, width }: Style): string[] {
  const text = label(name, width);
  if (textWidth(text) > LABEL) return [`  ${text}`, `  ${" ".repeat(LABEL)}${figures}`];
  return [`  ${text}${faint(".".repeat(LABEL - textWidth(text)))}${figures}`];
}

/** By name, so that the metrics of one family and the selections of one metric stand together. */
function names(metrics: Summary["metrics"]): string[] {
  return Object.keys(metrics).sort();
}

/** `http_reqs`, or the tags alone, set in, where it is a selection from the metric above. */
function label(name: string, width: number): string {
  const tags = name.indexOf("{");
  return fit(tags < 0 ? name : `  ${name.slice(tags)}`, width - 4);
}

/** What the metric came to, and what explains it; undefined where there is nothing to say. */
function totals(
  name: string,
  metric: Summary["metrics"][string],
): [main: string, detail: string] | undefined {
  const found = metricKind(metric);
  if (found.kind === "trend") return undefined;
  if (found.kind === "gauge") {
    const { value, min, max } = found.figures;
    return [count(value), `min=${count(min)} max=${count(max)}`];
  }
  if (found.kind === "rate") {
    const { value, passes, fails } = found.figures;
    if (passes + fails === 0) return undefined;
    return [percent(value), `${count(passes)} of ${count(passes + fails)}`];
  }
  const { count: n, rate } = found.figures;
  if (name === "dropped_iterations" && n === 0) return undefined;
  return name.startsWith("data_") ? [bytes(n), `${bytes(rate)}/s`] : [count(n), perSecond(rate)];
}
