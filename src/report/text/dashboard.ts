import { count, plural } from "../../base/format.ts";
import { cutToWidth, safeSnippet, textWidth, wrapWords } from "../../base/safe_text.ts";
import type { Progress } from "../../engine/progress.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import { describeElapsed } from "../stats.ts";
import {
  bar,
  blank,
  chartLines,
  failureLines,
  LEAST_CHART_ROWS,
  metricLines,
  progressPercent,
  scenarioLines,
  slowestLines,
  thresholdLines,
} from "./dashboard_parts.ts";
import { fit, type Style } from "./print_blocks.ts";

/** The part of a run's state that the dashboard shows. */
export interface LiveState {
  /** Name of the run; empty for a run without a name. */
  readonly name: string;
  readonly progress: Progress;
  /**
   * Points of the last seconds, oldest first: at least one for each column of the widest sparkline,
   * or all points of a shorter run.
   */
  readonly recent: readonly TimelinePoint[];
  /** Text at the bottom of the dashboard, wrapped to at most three lines. */
  readonly note: string;
}

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Minimum size of a window for a dashboard. */
const MIN_SIZE: WindowSize = { columns: 60, rows: 6 };
/** Minimum height of the window, in rows, for empty lines between the parts of the dashboard. */
const MIN_ROWS_FOR_GAPS = 20;
/**
 * Formats the state of a run as lines that fit into the window. Returns undefined if the window is
 * too small. If a list does not fit, its last line shows the number of hidden rows. Failed
 * thresholds have priority. The remaining rows show failures, the slowest endpoints and charts.
 * Recorded text is made safe to print.
 */
export function dashboard(state: LiveState, size: WindowSize, style: Style): string[] | undefined {
  if (size.columns < MIN_SIZE.columns || size.rows < MIN_SIZE.rows) return undefined;
  const { progress } = state;
  const width = size.columns - 2;
  const gap = size.rows >= MIN_ROWS_FOR_GAPS ? 1 : 0;
  const top = [...head(state, width, style), ...blank(gap)];
  const foot = [...blank(gap), ...noteLines(state.note, width).map(style.faint)];
  const rows = size.rows - top.length - foot.length;
  const failed = progress.thresholds.filter(({ passed }) => passed === false).length;
  // The title, the failed thresholds, and a line with the number of hidden thresholds.
  const wanted = gap + 1 + failed + (failed < progress.thresholds.length ? 1 : 0);
  const kept = failed === 0 ? 0 : Math.min(wanted, Math.max(Math.floor(rows / 2), rows - 2));
  const metrics = metricLines(state, width, style).slice(0, rows - kept);
  const lists = fitted(
    {
      title: "Thresholds",
      lines: thresholdLines(progress.thresholds, width, style),
      failed,
      minRows: kept,
      fallback: style.bad(
        `✗ ${failed} of ${plural(progress.thresholds.length, "threshold")} failed`,
      ),
    },
    { title: "Scenarios", lines: scenarioLines(progress.scenarios, width, style) },
    rows - metrics.length,
    gap,
    style,
  );
  let spare = rows - metrics.length - lists.length;
  const { failures = [], endpoints = [] } = progress.details ?? {};
  const more = [
    { title: "Failures", lines: failureLines(failures, width, style), left: 0 },
    {
      title: "Slowest endpoints",
      lines: slowestLines(endpoints, width, style),
      left: LEAST_CHART_ROWS,
    },
  ].flatMap(({ title, lines, left }) => {
    const room = Math.min(lines.length, spare - left - gap - 1);
    if (room < 1) return [];
    spare -= gap + 1 + room;
    return [...blank(gap), style.strong(title), ...lines.slice(0, room)];
  });
  const charts = chartLines(state.recent, spare, width, gap, style);
  return [...top, ...metrics, ...charts, ...lists, ...more, ...foot]
    .map((line) => line === "" ? "" : ` ${line}`);
}

function head({ name, progress }: LiveState, width: number, { strong, faint }: Style): string[] {
  const { done } = progress;
  const { time: elapsed, waiting } = describeElapsed(progress);
  const right = waiting === undefined ? `${elapsed}  ${progressPercent(done)}` : elapsed;
  const title = fit(name || "Unnamed run", width - right.length - 2);
  const space = " ".repeat(width - textWidth(title) - right.length);
  const below = waiting === undefined ? bar(done, width, faint) : faint(waiting);
  return [`${strong(title)}${space}${right}`, below];
}

/** Maximum height of the note, in rows. */
const NOTE_ROWS = 3;

function noteLines(note: string, width: number): string[] {
  return wrapWords(safeSnippet(note, width * NOTE_ROWS), width).slice(0, NOTE_ROWS)
    .map((line) => cutToWidth(line, width));
}

interface List {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A list that gets at least `minRows` rows, including its title. */
interface PrioritizedList extends List {
  /** Number of lines about failed items. These lines come first. */
  readonly failed: number;
  readonly minRows: number;
  /** Line to show instead of the list if there is no space for its title and one line. */
  readonly fallback: string;
}

/**
 * Fits two lists into `rows` rows. If there is too little space, each list gets half of the rows,
 * plus the rows that the other list does not need.
 */
function fitted(
  first: PrioritizedList,
  second: List,
  rows: number,
  gap: number,
  style: Style,
): string[] {
  const [a, b] = [first, second].map(({ lines }) =>
    lines.length === 0 ? 0 : gap + 1 + lines.length
  );
  const half = Math.max(first.minRows, rows - b, Math.floor(rows / 2));
  const below = listLines(second, rows - Math.min(a, half), gap, style);
  const above = listLines(first, rows - below.length, gap, style, first.failed);
  const isLost = above.length === 0 && first.minRows > 0 && rows > below.length;
  return [...(isLost ? [first.fallback] : above), ...below];
}

function listLines(
  { title, lines }: List,
  rows: number,
  gap: number,
  style: Style,
  failed = 0,
): string[] {
  const room = rows - gap - 1;
  if (lines.length === 0 || room < Math.min(2, lines.length)) return [];
  const head = [...blank(gap), style.strong(title)];
  if (lines.length <= room) return [...head, ...lines];
  const hidden = Math.max(0, failed - room + 1);
  return [
    ...head,
    ...lines.slice(0, room - 1),
    style.faint(`and ${count(lines.length - room + 1)} more`) +
    (hidden > 0 ? style.bad(`, ${count(hidden)} of them failed`) : ""),
  ];
}
