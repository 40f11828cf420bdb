import type { Summary, ThresholdVerdict } from "../../engine/summary.ts";
import { type MetricKind, METRICS } from "../../plan/metrics.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { type Cell, table } from "./table.ts";
import { figure, percent, perSecond, time } from "./units.ts";

/** What the columns beside the name take. */
const FIGURES = 45;

/** Lists each threshold with its result and its actual value. */
export function thresholdLines({ thresholds }: Summary, style: Style): string[] {
  const rows = thresholds.map((verdict): Cell[] => [
    markOf(verdict, style),
    fit(verdict.metric, style.width - FIGURES),
    fit(verdict.expression, 14),
    outcome(verdict),
  ]);
  return table(["left", "left", "left", "left"], rows);
}

/** Returns the mark of a threshold's result and its colour. */
export function markOf(
  { passed }: ThresholdVerdict,
  style: Style,
): [mark: string, paint: (text: string) => string] {
  if (passed === null) return ["?", style.faint];
  return passed ? ["✓", style.good] : ["✗", style.bad];
}

/** Returns the actual value of a threshold in the unit of its metric. Holds no recorded text. */
export function outcome({ metric, expression, passed, value, aborted }: ThresholdVerdict): string {
  if (passed === null) return "not judged";
  const [aggregation] = /^\s*(?:p\([^)]*\)|\w+)/.exec(expression) ?? [""];
  const kind = METRICS.get(metric.replace(/\{.*$/s, ""));
  const came = value === null ? "no samples" : inUnit(value, aggregation.trim(), kind);
  return aborted ? `${came}, ended the run` : came;
}

function inUnit(value: number, aggregation: string, kind: MetricKind | undefined): string {
  if (aggregation === "count" || kind === undefined) return figure(value);
  if (kind === "trend") return time(value);
  if (kind === "rate") return percent(value);
  return aggregation === "rate" ? perSecond(value) : figure(value);
}
