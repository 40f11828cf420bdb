import { mergeHistograms } from "../../base/histogram.ts";
import { count, percent, time } from "../../base/format.ts";
import type { EndpointData, TickDetails } from "../../engine/metrics/snapshot.ts";
import { slowestFirst } from "../slowest_endpoints.ts";
import { failedShare } from "../summary_stats.ts";
import { describeFailure } from "../summary_words.ts";
import { fit, type Style, type TextCell, textTable } from "./layout.ts";

/** Maximum number of rows in each list, excluding its title. */
const MAX_ROWS = 5;
/** Number of rows to reserve for a chart. Endpoints are listed only if more rows remain. */
const CHART_ROWS = 6;
/**
 * Number of columns to reserve for the other cells in a failure's row. The failure's message gets
 * the remaining columns.
 */
const BEFORE_MESSAGE = 70;

/**
 * Lists the most frequent failures and, if there is space for a chart too, the slowest endpoints of
 * a run in progress, in at most `rows` lines. Recorded text is made safe to print.
 */
export function endpointLines(
  { failures = [], endpoints }: TickDetails,
  rows: number,
  width: number,
  gap: readonly string[],
  style: Style,
): string[] {
  const failed = list("Failures", failureLines(failures, width, style), rows, gap, style);
  const left = rows - failed.length - CHART_ROWS;
  const slowest = list(
    "Slowest endpoints",
    slowestLines(endpoints, width, style),
    left,
    gap,
    style,
  );
  return [...failed, ...slowest];
}

/**
 * Returns a title and the first lines of a list, or an empty array if there is no space for both.
 */
function list(
  title: string,
  lines: readonly string[],
  rows: number,
  gap: readonly string[],
  style: Style,
): string[] {
  const room = Math.min(MAX_ROWS, rows - gap.length - 1);
  if (lines.length === 0 || room < 1) return [];
  return [...gap, style.strong(title), ...lines.slice(0, room)];
}

function failureLines(
  failures: NonNullable<TickDetails["failures"]>,
  width: number,
  style: Style,
): string[] {
  const rows = failures.toSorted((a, b) => b.count - a.count).slice(0, MAX_ROWS).map((
    { count: times, status, kind, name, message = "" },
  ): TextCell[] => [
    [`✗ ${count(times)}`, style.bad],
    describeFailure(status, kind),
    fit(name, width),
    [fit(message, Math.max(0, width - BEFORE_MESSAGE)), style.faint],
  ]);
  return table(["left", "left", "cut", "left"], rows, width);
}

function slowestLines(
  endpoints: readonly EndpointData[],
  width: number,
  style: Style,
): string[] {
  const measured = endpoints.map((endpoint) => ({
    ...endpoint,
    p95: mergeHistograms(endpoint.histogram).percentile(95) / 1_000,
  }));
  const slowest = slowestFirst(measured, ({ p95 }) => p95).slice(0, MAX_ROWS);
  const rows = slowest.map((endpoint): TextCell[] => [
    fit(endpoint.name, width),
    `p95 ${time(endpoint.p95)}`,
    `${count(endpoint.count)} requests`,
    [`${percent(failedShare(endpoint))} failed`, endpoint.failed > 0 ? style.bad : style.faint],
  ]);
  return table(["cut", "right", "right", "right"], rows, width);
}

/** Formats rows as a table without the indentation of other text reports. */
function table(
  columns: Parameters<typeof textTable>[0],
  rows: readonly (readonly TextCell[])[],
  width: number,
): string[] {
  return textTable(columns, rows, width + 2).map((line) => line.slice(2));
}
