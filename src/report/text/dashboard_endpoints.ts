import { mergeHistograms } from "../../base/histogram.ts";
import { count, percent, time } from "../../base/format.ts";
import type { EndpointData, TickDetails } from "../../engine/metrics/snapshot.ts";
import { slowestFirst } from "../slowest_endpoints.ts";
import { failedShare } from "../summary_stats.ts";
import { describeFailure } from "../summary_words.ts";
import { table } from "../blocks.ts";
import { fit, printTable, type Style } from "./print_blocks.ts";

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
  const list = table(
    "Failures",
    [
      { title: "", cell: ({ count: times }) => ({ text: `✗ ${count(times)}`, tone: "bad" }) },
      { title: "", cell: ({ status, kind }) => describeFailure(status, kind) },
      { title: "", long: "cut", cell: ({ name }) => name },
      {
        title: "",
        cell: ({ message = "" }) => ({
          text: fit(message, Math.max(0, width - BEFORE_MESSAGE)),
          tone: "faint",
        }),
      },
    ],
    failures.toSorted((a, b) => b.count - a.count).slice(0, MAX_ROWS),
  );
  return printTable(list, { ...style, width }, 0);
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
  const list = table(
    "Slowest endpoints",
    [
      { title: "", long: "cut", cell: ({ name }) => name },
      { title: "", cell: ({ p95 }) => ({ text: `p95 ${time(p95)}`, value: p95 }) },
      { title: "", cell: ({ count: n }) => ({ text: `${count(n)} requests`, value: n }) },
      {
        title: "",
        cell: (endpoint) => {
          const share = failedShare(endpoint);
          const tone = endpoint.failed > 0 ? "bad" : "faint";
          return { text: `${percent(share)} failed`, value: share, tone };
        },
      },
    ],
    slowestFirst(measured, ({ p95 }) => p95).slice(0, MAX_ROWS),
  );
  return printTable(list, { ...style, width }, 0);
}
