import { formatNumber, percent, perSecond, time } from "../base/format.ts";
import type { ThresholdVerdict } from "../engine/summary/summary.ts";
import type { Ending } from "../engine/summary/codes.ts";
import { type MetricKind, METRICS } from "../plan/text/metrics.ts";

/** Words for each way in which a run can end, to print before the duration of the run. */
export const ENDING_WORDS: Readonly<Record<Ending, string>> = {
  finished: "ran",
  interrupted: "interrupted after",
  threshold: "ended by a threshold after",
  assertion: "ended by an assertion after",
  lost: "lost after",
};

/** Formats a scenario and its groups as a path: `browse › shop › cart`. */
export function groupPath(scenario: string, group: string): string {
  return [scenario, ...group.split("::")].filter(Boolean).join(" › ");
}

/** Formats the actual value of a threshold in the unit of its metric. Contains no recorded text. */
export function describeValue(verdict: ThresholdVerdict): string {
  if (verdict.passed === null) return "not evaluated";
  return verdict.aborted ? `${actual(verdict)}, ended the run` : actual(verdict);
}

/**
 * Formats only the actual value of a threshold. Returns `no samples` if no sample matched the
 * selector.
 */
function actual({ metric, expression, value }: ThresholdVerdict): string {
  const [aggregation] = /^\s*(?:p\([^)]*\)|\w+)/.exec(expression) ?? [""];
  const kind = METRICS.get(metric.replace(/\{.*$/s, ""));
  return value === null ? "no samples" : inUnit(value, aggregation.trim(), kind);
}

/**
 * Describes why a threshold failed, such as `expected p(95)<150ms, got 152ms`. Contains the
 * expression from the plan, which is not escaped.
 */
export function failureReason(verdict: ThresholdVerdict): string {
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
