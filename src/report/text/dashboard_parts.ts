import { count, formatMs, percent, perSecond, plural, sparkline, time } from "../../base/format.ts";
import { mergeHistograms } from "../../base/histogram.ts";
import { cutToWidth, textWidth } from "../../base/safe_text.ts";
import type { EndpointData, TickDetails } from "../../engine/metrics/snapshot.ts";
import type { Progress, ScenarioProgress } from "../../engine/progress.ts";
import type { ThresholdVerdict, TimelinePoint } from "../../engine/summary/summary.ts";
import { type Heading, table } from "../blocks.ts";
import {
  describeStart,
  failedShare,
  type LiveMetric,
  liveMetrics,
  slowestFirst,
} from "../stats.ts";
import { thresholdTable } from "../run_sections.ts";
import { describeFailure } from "../summary_words.ts";
import { fit, printTable, type Style } from "./print_blocks.ts";

/** Minimum width of the window, in columns, for sparklines. */
const MIN_COLUMNS_FOR_SPARKLINES = 64;
const LABEL = 11;
const VALUE = 9;
const MIN_BAR = 8;

export function progressPercent(done: number): string {
  return `${Math.floor(100 * done)}%`;
}

/** Draws the progress `done`, from 0 to 1, as a bar. */
export function bar(done: number, width: number, faint: Style["faint"]): string {
  const full = Math.min(width, Math.floor(done * width));
  return "━".repeat(full) + faint("─".repeat(width - full));
}

/** Lists the metrics of the run, with sparklines of the last seconds. */
export function metricLines(
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
export function thresholdLines(
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

export function scenarioLines(
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
export const LEAST_CHART_ROWS = 6;
const BEFORE_MESSAGE = 70;

export function failureLines(
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

export function slowestLines(
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

export function chartLines(
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

export function blank(rows: number): string[] {
  return Array<string>(rows).fill("");
}
