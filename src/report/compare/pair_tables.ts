import { time } from "../../base/format.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { failedShare } from "../summary_stats.ts";
import { describeValue } from "../summary_words.ts";
import { relativeChange } from "./change.ts";
import { earlierThresholds, thresholdKey } from "./compare_runs.ts";
import {
  type ComparedEndpoint,
  comparedEndpoints,
  type ShownTime,
  timeVerdict,
} from "./compared_endpoints.ts";
import { comparedTotals } from "./compared_totals.ts";
import {
  type ComparisonCell,
  type ComparisonTable,
  failedCell,
  FAILURE_WORDS,
  firstRows,
  nameCell,
  TIME_WORDS,
  valueCell,
  verdictsText,
  verdictText,
} from "./comparison_tables.ts";
import { changeText, inUnit } from "./unit.ts";

/** Maximum number of endpoints in a table that is shown as text. */
const MAX_ENDPOINTS = 20;

/** Creates the tables that compare two runs as text or Markdown. */
export function pairTables(before: Summary, after: Summary): ComparisonTable[] {
  return [
    totalsTable(before, after),
    thresholdsTable(before, after),
    endpointsTable(comparedEndpoints(before, after)),
  ].filter(({ rows }) => rows.length > 0);
}

function totalsTable(before: Summary, after: Summary): ComparisonTable {
  return {
    title: "All requests",
    columns: ["Metric", "Before", "After", "Change", "Result"],
    rows: comparedTotals(before, after).map(({ label, unit, before, after, verdict }) => [
      { text: label },
      { text: inUnit(before, unit) },
      { text: inUnit(after, unit) },
      { text: changeOf({ before, after }) },
      verdict === undefined
        ? { text: "" }
        : verdictText(verdict, unit === "share" ? FAILURE_WORDS : TIME_WORDS),
    ]),
  };
}

/** Creates a table of the thresholds that failed in at least one of the runs. */
function thresholdsTable(before: Summary, after: Summary): ComparisonTable {
  const early = earlierThresholds(before);
  const cell = (verdict: Summary["thresholds"][number] | undefined): ComparisonCell => {
    if (verdict === undefined) return { text: "–" };
    const value = describeValue(verdict);
    if (verdict.passed === null) return { text: value, tone: "faint" };
    return verdict.passed
      ? { text: `✓ ${value}`, tone: "good" }
      : { text: `✗ ${value}`, tone: "bad" };
  };
  const failing = after.thresholds.filter((verdict) =>
    verdict.passed === false || early.get(thresholdKey(verdict))?.passed === false
  );
  return {
    title: "Failed thresholds",
    columns: ["Threshold", "Before", "After"],
    rows: failing.map((verdict) => [
      nameCell(`${verdict.metric}: ${verdict.expression}`),
      cell(early.get(thresholdKey(verdict))),
      cell(verdict),
    ]),
  };
}

function changeOf({ before, after }: Pick<ShownTime, "before" | "after">): string {
  if (before === undefined || after === undefined) return "–";
  return changeText(relativeChange(before, after));
}

function endpointsTable(endpoints: readonly ComparedEndpoint[]): ComparisonTable {
  const failed = (stats: EndpointStats | undefined) => stats && failedShare(stats);
  const table = {
    title: "Endpoints",
    columns: [
      "Request",
      "Time",
      "was",
      "now",
      "Change",
      "Failed was",
      "now",
      "Result",
    ],
    rows: endpoints.map((endpoint) => {
      const { name, before, after, time: { percentile, ...times } } = endpoint;
      const isInBoth = before !== undefined && after !== undefined;
      const only = { text: before === undefined ? "only after" : "only before" };
      return [
        nameCell(name),
        { text: percentile ?? "–" },
        valueCell(times.before, time),
        valueCell(times.after, time),
        { text: changeOf(times) },
        failedCell(failed(before)),
        failedCell(failed(after)),
        isInBoth
          ? verdictsText(verdictText(timeVerdict(endpoint), TIME_WORDS), endpoint.failed)
          : only,
      ];
    }),
  };
  return firstRows(table, MAX_ENDPOINTS);
}
