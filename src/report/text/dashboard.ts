import { count, formatMs, percent, perSecond, plural, sparkline, time } from "../../base/format.ts";
import { mergeHistograms } from "../../base/histogram.ts";
import { cutToWidth, safeSnippet, textWidth, wrapWords } from "../../base/safe_text.ts";
import type { EndpointData, TickDetails } from "../../engine/metrics/snapshot.ts";
import type { Progress, ScenarioProgress } from "../../engine/progress.ts";
import type { ThresholdVerdict, TimelinePoint } from "../../engine/summary/summary.ts";
import { type Heading, table } from "../blocks.ts";
import { thresholdTable } from "../run_sections.ts";
import {
  describeElapsed,
  describeStart,
  failedShare,
  type LiveMetric,
  liveMetrics,
  slowestFirst,
} from "../stats.ts";
import { describeFailure } from "../summary_words.ts";
import { fit, printTable, type Style } from "./print_blocks.ts";

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

/** Minimum width of the window, in columns, for sparklines. */
const MIN_COLUMNS_FOR_SPARKLINES = 64;
const LABEL = 11;
const VALUE = 9;
const MIN_BAR = 8;

function progressPercent(done: number): string {
  return `${Math.floor(100 * done)}%`;
}

/** Draws the progress `done`, from 0 to 1, as a bar. */
function bar(done: number, width: number, faint: Style["faint"]): string {
  const full = Math.min(width, Math.floor(done * width));
  return "━".repeat(full) + faint("─".repeat(width - full));
}

/** Lists the metrics of the run, with sparklines of the last seconds. */
function metricLines(
  { progress, recent }: { readonly progress: Progress; readonly recent: readonly TimelinePoint[] },
  width: number,
  style: Style,
): string[] {
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

/** Lists the thresholds, the failed ones first. */
function thresholdLines(
  thresholds: readonly ThresholdVerdict[],
  width: number,
  style: Style,
): string[] {
  const table = thresholdTable(thresholds);
  const columns = table.columns.map(({ only, long }): Heading => ({
    title: "",
    ...(only && { only }),
    ...(long && { long: "cut" }),
  }));
  return printTable({ ...table, columns }, { ...style, width }, 0);
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

/** Maximum number of failures and of slow endpoints. */
const MAX_ROWS = 5;
/** Number of rows to reserve for a chart. Slow endpoints are listed only if more rows remain. */
const LEAST_CHART_ROWS = 6;
const BEFORE_MESSAGE = 70;

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

function chartLines(
  recent: readonly TimelinePoint[],
  rows: number,
  width: number,
  gap: number,
  style: Style,
): string[] {
  const least = gap + 1 + CHART_ROWS.min;
  const shown = CHARTS.slice(0, Math.floor(rows / least));
  if (recent.length === 0) return [];
  return shown.flatMap((chart, i) => {
    // If the rows cannot be divided equally, the first charts get one more row than the others.
    const share = Math.floor(rows / shown.length) + (i < rows % shown.length ? 1 : 0);
    const height = Math.min(CHART_ROWS.max, share - gap - 1);
    return [
      ...blank(gap),
      style.strong(chart.title),
      ...drawChart(chart, recent, height, width, style),
    ];
  });
}

function drawChart(
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

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

function blank(rows: number): string[] {
  return Array<string>(rows).fill("");
}
