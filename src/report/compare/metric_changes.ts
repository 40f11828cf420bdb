import type { ThresholdVerdict } from "../../engine/summary/summary.ts";
import { describeValue } from "../summary_words.ts";
import type { Estimate } from "./change.ts";
import { type ComparedEndpoint, timeVerdict } from "./compared_endpoints.ts";
import type { ComparedTotal } from "./compared_totals.ts";
import {
  type ComparisonCell,
  type ComparisonTable,
  FAILURE_WORDS,
  firstRows,
  nameCell,
  TIME_WORDS,
  verdictText,
} from "./comparison_tables.ts";
import { inUnit, type Unit } from "./unit.ts";

/** A metric that changed significantly between two runs. */
export interface MetricChange {
  /** Name of the metric, such as `corrected p50`. */
  readonly metric: string;
  /** Endpoint of the metric. Absent if the metric covers all requests. */
  readonly endpoint?: string;
  readonly unit: Unit;
  /**
   * Values in the earlier run (`before`) and the later run (`after`), with their 99% confidence
   * intervals.
   */
  readonly before: Estimate;
  readonly after: Estimate;
  readonly verdict: "worse" | "better";
}

/**
 * Returns the significant changes: first in metrics over all requests, then in endpoint metrics.
 */
export function metricChanges(
  totals: readonly ComparedTotal[],
  endpoints: readonly ComparedEndpoint[],
): MetricChange[] {
  return [
    ...totals.flatMap(({ label, unit, verdict, estimates }) =>
      changed({ metric: label, unit }, verdict, estimates)
    ),
    ...endpoints.flatMap((endpoint) => {
      const { name, failed, estimates, time } = endpoint;
      const decided = timeVerdict(endpoint) === "mixed"
        ? ["p95", "p50"] as const
        : time.percentile
        ? [time.percentile]
        : [];
      return [
        ...decided.flatMap((percentile) =>
          changed(
            { metric: percentile, endpoint: name, unit: "time" },
            endpoint[percentile],
            estimates?.[percentile],
          )
        ),
        ...changed(
          { metric: "Failed requests", endpoint: name, unit: "share" },
          failed,
          estimates?.failed,
        ),
      ];
    }),
  ];
}

function changed(
  metric: Pick<MetricChange, "metric" | "endpoint" | "unit">,
  verdict: ComparedTotal["verdict"],
  estimates: ComparedTotal["estimates"],
): MetricChange[] {
  if (estimates === undefined || verdict !== "worse" && verdict !== "better") return [];
  return [{ ...metric, ...estimates, verdict }];
}

/** A threshold that failed only in the later of two runs. */
export interface BrokenThreshold {
  /** Result in the earlier run. Undefined if that run does not have the threshold. */
  readonly before: ThresholdVerdict | undefined;
  readonly after: ThresholdVerdict;
}

/** Maximum number of rows in a table of changes. */
const MAX_ROWS = 20;

/**
 * Creates a table of the changes that lead to a verdict: newly failing thresholds, metrics that
 * became worse, then metrics that became better.
 */
export function changesTable(
  title: string,
  changes: readonly MetricChange[],
  broken: readonly BrokenThreshold[],
): ComparisonTable {
  const sorted = changes.toSorted((a, b) =>
    Number(b.verdict === "worse") - Number(a.verdict === "worse")
  );
  const table = {
    title,
    columns: ["Metric", "Before (99% interval)", "After (99% interval)", "Result"],
    rows: [...broken.map(thresholdRow), ...sorted.map(changeRow)],
  };
  return firstRows(table, MAX_ROWS);
}

function thresholdRow({ before, after }: BrokenThreshold): ComparisonCell[] {
  return [
    nameCell(`${after.metric}: ${after.expression}`),
    { text: before === undefined ? "–" : describeValue(before) },
    { text: describeValue(after) },
    { text: "✗ failed", tone: "bad" },
  ];
}

function changeRow(
  { metric, endpoint, unit, before, after, verdict }: MetricChange,
): ComparisonCell[] {
  return [
    endpoint === undefined ? { text: metric } : nameCell(`${metric} of ${endpoint}`),
    { text: estimateText(before, unit) },
    { text: estimateText(after, unit) },
    verdictText(verdict, unit === "share" ? FAILURE_WORDS : TIME_WORDS),
  ];
}

/** Formats an estimate with its confidence interval: `24.1ms (23.9ms–24.3ms)`. */
function estimateText({ value, low, high }: Estimate, unit: Unit): string {
  const end = high === Infinity ? "∞" : inUnit(high, unit);
  return `${inUnit(value, unit)} (${inUnit(low, unit)}–${end})`;
}
