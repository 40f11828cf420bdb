import { count, percent, perSecond, time } from "../../base/format.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import { fit, printTable, type Style } from "./print_blocks.ts";
import { mergeHistograms } from "../../base/histogram.ts";
import type { EndpointData, TickDetails } from "../../engine/metrics/snapshot.ts";
import { failedShare, slowestFirst } from "../stats.ts";
import { describeFailure } from "../summary_words.ts";
import { table } from "../blocks.ts";

/** Minimum and maximum number of rows in a chart, excluding its title. */
const CHART_ROWS = { min: 3, max: 12 };
/** Width of a chart's axis, in columns. */
const AXIS = 9;
const BLOCKS = " ▁▂▃▄▅▆▇█";

/** A metric that is drawn as a chart if the window has enough rows. */
interface Chart {
  readonly title: string;
  value(point: TimelinePoint): number;
  format(value: number): string;
}

const CHARTS: readonly Chart[] = [
  { title: "Requests per second", value: ({ requests }) => requests, format: perSecond },
  { title: "Response time (p95)", value: ({ p95 }) => p95, format: time },
  { title: "Failed requests per second", value: ({ failed }) => failed, format: perSecond },
];

/**
 * Draws charts of the last seconds in rows that the rest of the dashboard does not use. Returns at
 * most `rows` lines. Draws fewer charts if they would otherwise have too few rows.
 */
export function chartLines(
  recent: readonly TimelinePoint[],
  rows: number,
  width: number,
  gap: readonly string[],
  style: Style,
): string[] {
  const least = gap.length + 1 + CHART_ROWS.min;
  const shown = CHARTS.slice(0, Math.floor(rows / least));
  if (recent.length === 0) return [];
  return shown.flatMap((chart, i) => {
    // If the rows cannot be divided equally, the first charts get one more row than the others.
    const share = Math.floor(rows / shown.length) + (i < rows % shown.length ? 1 : 0);
    const height = Math.min(CHART_ROWS.max, share - gap.length - 1);
    return [...gap, style.strong(chart.title), ...draw(chart, recent, height, width, style)];
  });
}

function draw(
  { value, format }: Chart,
  recent: readonly TimelinePoint[],
  rows: number,
  width: number,
  style: Style,
): string[] {
  const values = recent.slice(-(width - AXIS - 1)).map(value);
  const most = Math.max(...values);
  const steps = BLOCKS.length - 1;
  return Array.from({ length: rows }, (_, i) => {
    const below = (rows - 1 - i) * steps;
    const axis = i === 0 ? format(most) : i === rows - 1 ? "0" : "";
    const bars = values.map((value) => {
      const height = most > 0 ? Math.ceil(value / most * rows * steps) : 0;
      return BLOCKS[Math.max(0, Math.min(steps, height - below))];
    });
    return `${style.faint(axis.padStart(AXIS))} ${bars.join("").padStart(width - AXIS - 1)}`;
  });
}

/** Maximum number of rows in each list, excluding its title. */
const MAX_ROWS = 5;
/** Number of rows to reserve for a chart. Endpoints are listed only if more rows remain. */
const LEAST_CHART_ROWS = 6;
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
  const left = rows - failed.length - LEAST_CHART_ROWS;
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
