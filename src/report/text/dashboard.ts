import { count, formatMs, percent, plural, sparkline, sum, time } from "../../base/format.ts";
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
 * thresholds have priority. The remaining rows show failures and the slowest endpoints. Recorded
 * text is made safe to print.
 */
export function dashboard(state: LiveState, size: WindowSize, style: Style): string[] | undefined {
  if (size.columns < MIN_SIZE.columns || size.rows < MIN_SIZE.rows) return undefined;
  const { thresholds, scenarios, details } = state.progress;
  const width = size.columns - 2;
  const gap = size.rows >= MIN_ROWS_FOR_GAPS ? [""] : [];
  const top = [...head(state, width, style), ...gap];
  const foot = [...gap, ...noteLines(state.note, width).map(style.faint)];
  const rows = size.rows - top.length - foot.length;
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const kept = failed === 0 ? 0 : Math.min(gap.length + 2 + failed, rows - 2);
  const metrics = metricLines(state, width, style).slice(0, rows - kept);
  const lists: readonly List[] = [
    {
      title: "Thresholds",
      lines: thresholdLines(thresholds, width, style),
      minRows: kept,
      failed,
      short: `✗ ${failed} of ${plural(thresholds.length, "threshold")} failed`,
    },
    { title: "Scenarios", lines: scenarioLines(scenarios, width, style) },
    { title: "Failures", lines: failureLines(details?.failures ?? [], width, style), isTop: true },
    {
      title: "Slowest endpoints",
      lines: slowestLines(details?.endpoints ?? [], width, style),
      isTop: true,
    },
  ];
  return [...top, ...metrics, ...fitLists(lists, rows - metrics.length, gap, style), ...foot]
    .map((line) => line === "" ? "" : ` ${line}`);
}

interface List {
  readonly title: string;
  readonly lines: readonly string[];
  /** Number of rows, including the title, that the lists below leave free (default: 0). */
  readonly minRows?: number;
  /** Number of lines about failed items. These lines come first. */
  readonly failed?: number;
  /** Line to show if failed items exist, but there is no space for the title and one line. */
  readonly short?: string;
  /** True for the first items of a longer list: it gets only rows that no other list needs. */
  readonly isTop?: boolean;
}

/** Fits lists into `rows` rows, from the most important one. Each leaves two lines for the next. */
function fitLists(
  lists: readonly List[],
  rows: number,
  gap: readonly string[],
  style: Style,
): string[] {
  const heights = lists.map(({ lines, isTop }) =>
    lines.length === 0 || isTop ? 0 : gap.length + 1 + Math.min(2, lines.length)
  );
  const fitted: string[] = [];
  lists.forEach((list, i) => {
    const left = rows - fitted.length;
    const below = sum(heights.slice(i + 1));
    fitted.push(...listLines(list, Math.min(left, Math.max(list.minRows ?? 0, left - below))));
  });
  return fitted;

  function listLines(
    { title, lines, failed = 0, short, isTop }: List,
    rows: number,
  ): readonly string[] {
    const room = rows - gap.length - 1;
    if (lines.length === 0 || room < (isTop ? 1 : Math.min(2, lines.length))) {
      return failed > 0 && short !== undefined && rows > 0 ? [style.bad(short)] : [];
    }
    const head = [...gap, style.strong(title)];
    if (isTop || lines.length <= room) return [...head, ...lines.slice(0, room)];
    const hidden = Math.max(0, failed - room + 1);
    return [
      ...head,
      ...lines.slice(0, room - 1),
      style.faint(`and ${count(lines.length - room + 1)} more`) +
      (hidden > 0 ? style.bad(`, ${count(hidden)} of them failed`) : ""),
    ];
  }
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
const MAX_ROWS = 10;
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

/**
 * Describes how a request failed: `500`, `timeout`, or `200, assert`. A status of 0 means that
 * there was no response.
 */
function describeFailure(status: number, kind: string | undefined): string {
  return [...(status > 0 ? [String(status)] : []), ...(kind === undefined ? [] : [kind])].join(
    ", ",
  );
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

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
