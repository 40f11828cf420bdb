import { count, formatMs, plural, sparkline } from "../../base/format.ts";
import { cutToWidth, safeSnippet, textWidth } from "../../base/safe_text.ts";
import type { ThresholdVerdict, TimelinePoint } from "../../engine/summary/summary.ts";
import type { Progress, ScenarioProgress } from "../../engine/progress.ts";
import { describeElapsed, describeStart, type LiveMetric, liveMetrics } from "../stats.ts";
import { chartLines, endpointLines } from "./dashboard_lists.ts";
import { fit, type Style, wrapWords } from "./print_blocks.ts";
import { resultMark } from "./result_blocks.ts";
import { describeValue } from "../summary_words.ts";

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

/** Size of a terminal window in characters. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Minimum size of a window for a dashboard. */
const MIN_SIZE: WindowSize = { columns: 60, rows: 6 };
/** Minimum height of the window, in rows, for empty lines between the parts of the dashboard. */
const MIN_ROWS_FOR_GAPS = 20;
/** Minimum width of the window, in columns, for sparklines. */
const MIN_COLUMNS_FOR_SPARKLINES = 64;
const LABEL = 11;
const VALUE = 9;
const MIN_BAR = 8;

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
  const gap = size.rows >= MIN_ROWS_FOR_GAPS ? [""] : [];
  const top = [...head(state, width, style), ...gap];
  const foot = [...gap, ...noteLines(state.note, width).map(style.faint)];
  const rows = size.rows - top.length - foot.length;
  const failed = progress.thresholds.filter(({ passed }) => passed === false).length;
  // The title, the failed thresholds, and a line with the number of hidden thresholds.
  const wanted = gap.length + 1 + failed + (failed < progress.thresholds.length ? 1 : 0);
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
    gap.length,
    style,
  );
  const spare = rows - metrics.length - lists.length;
  const { details } = progress;
  const endpoints = details ? endpointLines(details, spare, width, gap, style) : [];
  const charts = chartLines(state.recent, spare - endpoints.length, width, gap, style);
  return [...top, ...metrics, ...charts, ...lists, ...endpoints, ...foot]
    .map((line) => line === "" ? "" : ` ${line}`);
}

function head({ name, progress }: LiveState, width: number, { strong, faint }: Style): string[] {
  const { done } = progress;
  const { time, waiting } = describeElapsed(progress);
  const right = waiting === undefined ? `${time}  ${progressPercent(done)}` : time;
  const title = fit(name || "Unnamed run", width - right.length - 2);
  const space = " ".repeat(width - textWidth(title) - right.length);
  const below = waiting === undefined ? bar(done, width, faint) : faint(waiting);
  return [`${strong(title)}${space}${right}`, below];
}

/**
 * Formats the progress `done`, from 0 to 1, as a percentage. Rounds down, so that only a finished
 * run or scenario shows 100%.
 */
function progressPercent(done: number): string {
  return `${Math.floor(100 * done)}%`;
}

/** Maximum height of the note, in rows. */
const NOTE_ROWS = 3;

function noteLines(note: string, width: number): string[] {
  return wrapWords(safeSnippet(note, width * NOTE_ROWS), width).slice(0, NOTE_ROWS)
    .map((line) => cutToWidth(line, width));
}

function bar(done: number, width: number, faint: Style["faint"]): string {
  const full = Math.min(width, Math.floor(done * width));
  return "━".repeat(full) + faint("─".repeat(width - full));
}

function metricLines({ progress, recent }: LiveState, width: number, style: Style): string[] {
  const metrics = liveMetrics(progress);
  const scheduled = Math.max(0, ...metrics.map(({ scheduled }) => scheduled?.length ?? 0));
  const taken = LABEL + 2 * VALUE + 2 + (scheduled > 0 ? scheduled + 2 : 0) + 2;
  const sparks = width < MIN_COLUMNS_FOR_SPARKLINES ? 0 : width - taken;
  const shown = recent.slice(-Math.max(1, sparks));
  const titles = "last second".padStart(LABEL + VALUE) + "so far".padStart(VALUE + 2);
  const over = sparks === 0 ? "" : `last ${formatMs(shown.length * 1_000)}`;
  const head = style.faint(titles + over.padStart(width - titles.length));
  return [head, ...metrics.map(line)];

  function line(
    { label, now, soFar, scheduled: of = "", bad, seriesKey: key }: LiveMetric,
  ): string {
    const spark = sparks === 0 ? "" : sparkline(shown.map((point) => point[key]));
    const paint = bad ? style.bad : String;
    return label.padEnd(LABEL) + paint(now.padStart(VALUE)) +
      (scheduled > 0 ? `  ${style.faint(of.padEnd(scheduled))}` : "") +
      paint(soFar.padStart(VALUE + 2)) +
      (sparks === 0 ? "" : `  ${style.faint(spark.padStart(sparks))}`);
  }
}

function thresholdLines(
  thresholds: readonly ThresholdVerdict[],
  width: number,
  style: Style,
): string[] {
  const rows = thresholds.toSorted((a, b) => Number(a.passed ?? 2) - Number(b.passed ?? 2)).map((
    verdict,
  ) => ({
    mark: mark(verdict, style),
    name: fit(verdict.metric, width),
    expression: fit(verdict.expression, 16),
    actual: describeValue(verdict),
  }));
  const expression = widest(rows.map(({ expression }) => expression));
  const actual = widest(rows.map(({ actual }) => actual));
  const room = width - expression - actual - 6;
  const name = Math.min(room, widest(rows.map(({ name }) => name)));
  return rows.map((row) =>
    `${row.mark} ${pad(cutToWidth(row.name, name), name)}  ${pad(row.expression, expression)}  ` +
    row.actual.padStart(actual)
  );
}

function mark(verdict: ThresholdVerdict, style: Style): string {
  const { text, tone } = resultMark(verdict);
  return style[tone](text);
}

function scenarioLines(
  scenarios: readonly ScenarioProgress[],
  width: number,
  style: Style,
): string[] {
  const names = scenarios.map(({ name }) => fit(name, width));
  const column = Math.min(Math.floor(width / 4), widest(names));
  const [texts, room] = scenarioFacts(scenarios, width - column - 2);
  return scenarios.map(({ done, dropped }, i) =>
    `${pad(cutToWidth(names[i], column), column)}  ${bar(done, room, style.faint)}` +
    (dropped > 0 ? style.bad : String)(texts[i].padStart(width - column - 2 - room))
  );
}

function scenarioFacts(scenarios: readonly ScenarioProgress[], width: number): [string[], number] {
  for (let parts = 4;; parts--) {
    const texts = scenarios.map((scenario) => facts(scenario).slice(-parts).join("  "));
    const room = width - widest(texts) - 2;
    if (room >= MIN_BAR || parts === 1) return [texts, room];
  }
}

/** Returns details about the progress of a scenario. The most important one is last. */
function facts(scenario: ScenarioProgress): string[] {
  const { state, done, vus, iterations, dropped } = scenario;
  if (state === "waiting") return [fit(describeStart(scenario), 30)];
  return [
    dropped > 0 ? `${count(dropped)} dropped` : "",
    plural(iterations, "iteration"),
    state === "ended" ? "ended" : plural(vus, "VU"),
    progressPercent(done).padStart(4),
  ];
}

/** A list of lines with a title. */
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

/**
 * Returns a title and its list, shortened to `rows` rows. Returns an empty array if there is no
 * space for the title and one line.
 */
function listLines(
  { title, lines }: List,
  rows: number,
  gap: number,
  style: Style,
  failed = 0,
): string[] {
  const room = rows - gap - 1;
  if (lines.length === 0 || room < Math.min(2, lines.length)) return [];
  const head = [...Array<string>(gap).fill(""), style.strong(title)];
  if (lines.length <= room) return [...head, ...lines];
  const hidden = Math.max(0, failed - room + 1);
  return [
    ...head,
    ...lines.slice(0, room - 1),
    style.faint(`and ${count(lines.length - room + 1)} more`) +
    (hidden > 0 ? style.bad(`, ${count(hidden)} of them failed`) : ""),
  ];
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
