import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { type MetricKind, METRICS } from "../../plan/text/metrics.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { type TextCell, textTable } from "./text_table.ts";
import { formatNumber, percent, perSecond, time } from "./units.ts";

/** Lists each threshold with its result, its expression and its actual value. */
export function thresholdLines({ thresholds }: Summary, style: Style): string[] {
  const rows = thresholds.map((verdict): TextCell[] => [
    resultMark(verdict, style),
    fit(verdict.metric, style.width),
    fit(verdict.expression, style.width / 4),
    outcome(verdict),
  ]);
  return textTable(["left", "cut", "left", "left"], rows, style.width);
}

/** Returns the mark of a threshold's result and its colour. */
export function resultMark(
  { passed }: ThresholdVerdict,
  style: Style,
): [mark: string, paint: (text: string) => string] {
  if (passed === null) return ["?", style.faint];
  return passed ? ["✓", style.good] : ["✗", style.bad];
}

/** Returns the actual value of a threshold in the unit of its metric. Holds no recorded text. */
export function outcome(verdict: ThresholdVerdict): string {
  if (verdict.passed === null) return "not evaluated";
  return verdict.aborted ? `${actual(verdict)}, ended the run` : actual(verdict);
}

/** Returns the actual value alone; `no samples` if nothing matched the selector. */
function actual({ metric, expression, value }: ThresholdVerdict): string {
  const [aggregation] = /^\s*(?:p\([^)]*\)|\w+)/.exec(expression) ?? [""];
  const kind = METRICS.get(metric.replace(/\{.*$/s, ""));
  return value === null ? "no samples" : inUnit(value, aggregation.trim(), kind);
}

/** Returns why a threshold failed: `expected p(95)<150ms, got 152ms`. The expression is the plan's text. */
export function unmet(verdict: ThresholdVerdict): string {
  const why = verdict.value === null
    ? "got no samples: the selector matched nothing"
    : `got ${actual(verdict)}`;
  const end = verdict.aborted ? "; it ended the run" : "";
  return `expected ${verdict.expression}, ${why}${end}`;
}

function inUnit(value: number, aggregation: string, kind: MetricKind | undefined): string {
  if (aggregation === "count" || kind === undefined) return formatNumber(value);
  if (kind === "trend") return time(value);
  if (kind === "rate") return percent(value);
  return aggregation === "rate" ? perSecond(value) : formatNumber(value);
}
