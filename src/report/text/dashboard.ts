import { formatMs } from "../../base/duration.ts";
import { cutToWidth, textWidth } from "../../base/text_width.ts";
import type {
  Progress,
  ScenarioProgress,
  ThresholdVerdict,
  TimelinePoint,
} from "../../engine/summary.ts";
import { type LiveMetric, liveMetrics } from "../live_metrics.ts";
import { fit } from "./fit.ts";
import { sparkline } from "./sparkline.ts";
import type { Style } from "./style.ts";
import { markOf, outcome } from "./threshold_lines.ts";
import { plural } from "../../base/plural.ts";
import { count } from "./units.ts";

/** What a dashboard shows. */
export interface LiveState {
  /** What the run is called; empty when it has no name. */
  readonly name: string;
  readonly progress: Progress;
  /** The last seconds, in order: as many as the widest line can show. */
  readonly recent: readonly TimelinePoint[];
  /** Said under it all. */
  readonly note: string;
}

/** A window of a terminal, in characters. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** The least window that there is a dashboard for. */
const LEAST: WindowSize = { columns: 60, rows: 6 };
/** From so many rows on there are empty ones between the parts. */
const AIRY = 20;
/** From so many columns on there is room for the last seconds. */
const SPARKS = 64;
const LABEL = 11;
const FIGURE = 9;
const LEAST_BAR = 8;

/**
 * Returns the state of a run as lines that fit the window: lists are cut with a line that gives the
 * number of the others, and failed thresholds get room first. Undefined for a window that is too small.
 * Recorded text is made safe.
 */
export function dashboard(state: LiveState, size: WindowSize, style: Style): string[] | undefined {
  if (size.columns < LEAST.columns || size.rows < LEAST.rows) return undefined;
  const { progress } = state;
  const width = size.columns - 2;
  const gap = size.rows >= AIRY ? [""] : [];
  const top = [...head(state, width, style), ...gap];
  const foot = [...gap, style.faint(fit(state.note, width))];
  const rows = size.rows - top.length - foot.length;
  const failed = progress.thresholds.filter(({ passed }) => passed === false).length;
  // The title, the failed ones and the number of the others.
  const wanted = gap.length + 1 + failed + (failed < progress.thresholds.length ? 1 : 0);
  const kept = failed === 0 ? 0 : Math.min(wanted, Math.floor(rows / 2));
  const figures = figureLines(state, width, style).slice(0, rows - kept);
  const lists = fitted(
    {
      title: "Thresholds",
      lines: thresholdLines(progress.thresholds, width, style),
      kept,
      instead: style.bad(
        `✗ ${failed} of ${plural(progress.thresholds.length, "threshold")} failed`,
      ),
    },
    { title: "Scenarios", lines: scenarioLines(progress.scenarios, width, style) },
    rows - figures.length,
    gap.length,
    style,
  );
  return [...top, ...figures, ...lists, ...foot].map((line) => line === "" ? "" : ` ${line}`);
}

function head({ name, progress }: LiveState, width: number, { strong, faint }: Style): string[] {
  const { elapsedMs, plannedMs, done } = progress;
  const inTime = done > elapsedMs / plannedMs ? "at most " : "";
  const time = `${formatMs(elapsedMs)} of ${inTime}${formatMs(plannedMs)}  ${share(done)}`;
  const title = fit(name || "Unnamed run", width - time.length - 2);
  const space = " ".repeat(width - textWidth(title) - time.length);
  return [`${strong(title)}${space}${time}`, bar(done, width, faint)];
}

/** The share that is done, never rounded up to all of it. */
function share(done: number): string {
  return `${Math.floor(100 * done)}%`;
}

function bar(done: number, width: number, faint: Style["faint"]): string {
  const full = Math.min(width, Math.floor(done * width));
  return "━".repeat(full) + faint("─".repeat(width - full));
}

function figureLines({ progress, recent }: LiveState, width: number, style: Style): string[] {
  const figures = liveMetrics(progress);
  const scheduled = Math.max(0, ...figures.map(({ scheduled }) => scheduled?.length ?? 0));
  const taken = LABEL + 2 * FIGURE + 2 + (scheduled > 0 ? scheduled + 2 : 0) + 2;
  const sparks = width < SPARKS ? 0 : width - taken;
  const shown = recent.slice(-Math.max(1, sparks));
  const titles = "last second".padStart(LABEL + FIGURE) + "so far".padStart(FIGURE + 2);
  const over = sparks === 0 ? "" : `last ${formatMs(shown.length * 1_000)}`;
  const head = style.faint(titles + over.padStart(width - titles.length));
  return [head, ...figures.map(line)];

  function line({ label, now, soFar, scheduled: of = "", bad, of: key }: LiveMetric): string {
    const spark = sparks === 0 ? "" : sparkline(shown.map((point) => point[key]));
    const paint = bad ? style.bad : String;
    return label.padEnd(LABEL) + paint(now.padStart(FIGURE)) +
      (scheduled > 0 ? `  ${style.faint(of.padEnd(scheduled))}` : "") +
      paint(soFar.padStart(FIGURE + 2)) +
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
    scheduled: fit(verdict.expression, 16),
    came: outcome(verdict),
  }));
  const scheduled = widest(rows.map(({ scheduled }) => scheduled));
  const came = widest(rows.map(({ came }) => came));
  const room = width - scheduled - came - 6;
  const name = Math.min(room, widest(rows.map(({ name }) => name)));
  return rows.map((row) =>
    `${row.mark} ${pad(cutToWidth(row.name, name), name)}  ${pad(row.scheduled, scheduled)}  ` +
    row.came.padStart(came)
  );
}

function mark(verdict: ThresholdVerdict, style: Style): string {
  const [text, paint] = markOf(verdict, style);
  return paint(text);
}

function scenarioLines(
  scenarios: readonly ScenarioProgress[],
  width: number,
  style: Style,
): string[] {
  const names = scenarios.map(({ name }) => fit(name, width));
  const column = Math.min(Math.floor(width / 4), widest(names));
  const [told, room] = toldIn(scenarios, width - column - 2);
  return scenarios.map(({ done, dropped }, i) =>
    `${pad(cutToWidth(names[i], column), column)}  ${bar(done, room, style.faint)}` +
    (dropped > 0 ? style.bad : String)(told[i].padStart(width - column - 2 - room))
  );
}

/** What is said of each scenario, as much as leaves room for a bar, and how wide that is. */
function toldIn(scenarios: readonly ScenarioProgress[], width: number): [string[], number] {
  for (let parts = 4;; parts--) {
    const told = scenarios.map((scenario) => facts(scenario).slice(-parts).join("  "));
    const room = width - widest(told) - 2;
    if (room >= LEAST_BAR || parts === 1) return [told, room];
  }
}

/** The one that matters most last. */
function facts({ state, startMs, done, vus, iterations, dropped }: ScenarioProgress): string[] {
  if (state === "waiting") return [`starts at ${formatMs(startMs)}`];
  return [
    dropped > 0 ? `${count(dropped)} dropped` : "",
    `${count(iterations)} iterations`,
    state === "ended" ? "ended" : `${count(vus)} VUs`,
    share(done).padStart(4),
  ];
}

/** A list under its title. */
interface List {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A list that keeps some rows, however few there are. */
interface KeptList extends List {
  readonly kept: number;
  /** The one line for a list of which not even a line has room under its title. */
  readonly instead: string;
}

/** Two lists in so many rows. Where not all has room, each gets half, or what the other one leaves. */
function fitted(first: KeptList, second: List, rows: number, gap: number, style: Style): string[] {
  const [a, b] = [first, second].map(({ lines }) =>
    lines.length === 0 ? 0 : gap + 1 + lines.length
  );
  const half = Math.max(first.kept, rows - b, Math.floor(rows / 2));
  const below = listLines(second, rows - Math.min(a, half), gap, style);
  const above = listLines(first, rows - below.length, gap, style);
  const isLost = above.length === 0 && first.kept > 0 && rows > below.length;
  return [...(isLost ? [first.instead] : above), ...below];
}

/** A title is never without a line of its list. */
function listLines({ title, lines }: List, rows: number, gap: number, style: Style): string[] {
  const room = rows - gap - 1;
  if (lines.length === 0 || room < Math.min(2, lines.length)) return [];
  const head = [...Array<string>(gap).fill(""), style.strong(title)];
  if (lines.length <= room) return [...head, ...lines];
  return [
    ...head,
    ...lines.slice(0, room - 1),
    style.faint(`and ${count(lines.length - room + 1)} more`),
  ];
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
