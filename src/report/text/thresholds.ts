import { safeSnippet } from "../../base/safe_text.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary.ts";
import { kindOf } from "../metric_kind.ts";
import type { Style } from "./style.ts";
import { type Cell, table } from "./table.ts";
import { figure, percent, perSecond, time } from "./units.ts";

/** What the columns beside the name take. */
const FIGURES = 45;

/** Each threshold: whether it held, what it asks for, what came. */
export function thresholdLines({ thresholds, metrics }: Summary, style: Style): string[] {
  const rows = thresholds.map((verdict): Cell[] => [
    verdict.passed ? ["✓", style.good] : ["✗", style.bad],
    safeSnippet(verdict.metric, style.width - FIGURES),
    safeSnippet(verdict.expression, 14),
    outcome(verdict, metrics),
  ]);
  return table(["left", "left", "left", "left"], rows);
}

/** What a threshold came to, in the unit of its metric. Holds no recorded text. */
export function outcome(
  { metric, expression, value, aborted }: ThresholdVerdict,
  metrics: Summary["metrics"],
): string {
  const [aggregation] = /^\s*(?:p\([^)]*\)|\w+)/.exec(expression) ?? [""];
  const came = value === null ? "no samples" : inUnit(value, aggregation.trim(), metrics[metric]);
  return aborted ? `${came}, ended the run` : came;
}

function inUnit(
  value: number,
  aggregation: string,
  figures: Summary["metrics"][string] | undefined,
): string {
  const kind = figures && kindOf(figures).kind;
  if (aggregation === "count" || kind === undefined) return figure(value);
  if (kind === "trend") return time(value);
  if (kind === "rate") return percent(value);
  return aggregation === "rate" ? perSecond(value) : figure(value);
}
