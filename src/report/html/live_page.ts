import { percent, plural } from "../../base/format.ts";
import { parseThresholds } from "../../engine/metrics/summarize.ts";
import type { Progress, ScenarioProgress } from "../../engine/progress.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import {
  type Block,
  type Column,
  countCell,
  nameCell,
  NO_VALUE,
  rateCell,
  type Section,
  shareCell,
  tableSection,
  type Tile,
  timeCell,
} from "../blocks.ts";
import {
  describeElapsed,
  describeStart,
  failedShare,
  hasOpenModel,
  liveMetrics,
} from "../stats.ts";
import { type Markup, markup } from "../markup.ts";
import { type Chart, chartLimits } from "../chart.ts";
import { endpointSection } from "./run_report.ts";
import LIVE from "./page/live.js" with { type: "text" };
import { bannerLines, document, printHtml } from "./print_html.ts";
import { chartsOverTime } from "./run_charts.ts";
import { keyMetrics, runBanner, title } from "./run_head.ts";
import {
  checkSection,
  errorSection,
  failureSection,
  rankChecks,
  scenarioSection,
  thresholdSection,
} from "../run_sections.ts";
import { type SecondPoint, secondRows } from "./series.ts";
import { mergeHistograms } from "../../base/histogram.ts";
import type { EndpointData, TickDetails } from "../../engine/metrics/snapshot.ts";
import { groupPath } from "../summary_words.ts";

/** Parts of the page that change during a run, from top to bottom, with charts after the third. */
export const PARTS = ["head", "metrics", "thresholds", "scenarios", "rest"] as const;

export type Parts = Readonly<Record<typeof PARTS[number], string>>;

export interface LiveNow {
  /** Name of the run; empty for a run without a name. */
  readonly name: string;
  readonly progress: Progress;
  readonly before?: Progress;
  readonly note: string;
}

/**
 * Creates the page for a run in progress. The page updates itself with the events that the server
 * sends at `/events`. Its charts show the limits of the plan's thresholds.
 */
export async function livePage({ name = "", scenarios, thresholds = {} }: Plan): Promise<string> {
  const rules = parseThresholds(thresholds).map(({ metric, text }) => ({
    metric,
    expression: text,
  }));
  const isOpen = hasOpenModel(Object.values(scenarios));
  const charts = chartsOverTime([], isOpen, chartLimits({ thresholds: rules }));
  const zoomNote = "Drag to zoom all four charts, double-click to reset the zoom.";
  const waiting = { banner: "Waiting", text: "for the first second", title: title(name) };
  const head = markup`
    <header>
      <div data-part="head">${bannerLines(waiting)}</div>
      <p class="note" id="connection" role="status"></p>
      <p id="controls" hidden>${CONTROLS.map(button)}</p>
    </header>
  `;
  return await document({
    title: `${title(name)}: rehearse`,
    blocks: [
      { page: head },
      part("metrics"),
      part("thresholds"),
      { title: "Over time", note: zoomNote, blocks: [{ charts }] },
      part("scenarios"),
      part("rest"),
    ],
    data: { axes: { seconds: [] } },
    script: LIVE,
  });
}

/** Buttons that change the load, visible only if the URL of the page contains the secret token. */
const CONTROLS = [
  ["Pause", { action: "pause" }],
  ["Resume", { action: "resume" }],
  ["−10%", { action: "step", tenths: -1 }],
  ["+10%", { action: "step", tenths: 1 }],
  ["Stop", { action: "stop" }],
] as const;

function button([label, action]: typeof CONTROLS[number]): Markup {
  return markup`<button type="button" data-action="${JSON.stringify(action)}">${label}</button> `;
}

function part(name: typeof PARTS[number]): Block {
  return { page: markup`<div data-part="${name}"></div>` };
}

export function runningParts(now: LiveNow): Parts {
  const { progress, before } = now;
  return written({
    head: running(now),
    metrics: printHtml([{ title: "Last second", blocks: [{ tiles: tiles(progress) }] }]),
    thresholds: printHtml([thresholdSection(progress)]),
    scenarios: printHtml([scenarios(progress)]),
    rest: progress.details && printHtml(liveSections(progress.details, before?.details)),
  });
}

function endParts(summary: Summary): Parts {
  return written({
    head: bannerLines(runBanner(summary)),
    metrics: printHtml([{ tiles: keyMetrics(summary) }]),
    thresholds: printHtml([thresholdSection(summary)]),
    scenarios: printHtml([scenarioSection(summary)]),
    rest: printHtml([
      endpointSection(summary),
      failureSection(summary),
      errorSection(summary),
      checkSection(rankChecks(summary.checks)),
    ]),
  });
}

function running({ name, progress, note }: LiveNow): Markup {
  const { done } = progress;
  const { time, waiting } = describeElapsed(progress);
  const more = markup`
    <progress class="whole" value="${done}" aria-label="Progress of the run">
      ${percent(done)}
    </progress>
    ${note === "" ? undefined : markup`<p class="faint">${note}</p>`}
  `;
  const text = time + (waiting === undefined ? "" : `: ${waiting}`);
  return bannerLines({ banner: "Running", text, title: title(name), more });
}

function tiles(progress: Progress): Tile[] {
  return liveMetrics(progress).map(({ label, now, value, scheduled, soFar, bad }) => ({
    label,
    cell: { text: now, value, ...(bad && { tone: "bad" as const }) },
    detail: [scheduled, soFar && `${soFar} so far`].filter(Boolean).join(", "),
  }));
}

function scenarios({ scenarios }: Progress): Section {
  return tableSection(
    "Scenarios",
    [
      { title: "Scenario", cell: ({ name }) => name },
      { title: "Progress", cell: progressCell },
      { title: "State", cell: (one) => one.state === "waiting" ? describeStart(one) : one.state },
      { title: "VUs", cell: ({ vus }) => countCell(vus) },
      { title: "Iterations", cell: ({ iterations }) => countCell(iterations) },
      {
        title: "Dropped",
        hint: "Scheduled iterations that did not start because no VU was free",
        cell: ({ dropped }) => countCell(dropped, dropped > 0 ? "bad" : undefined),
      },
    ],
    scenarios,
  );
}

function progressCell({ name, done }: ScenarioProgress): Markup {
  return markup`<progress value="${done}" aria-label="${name}">${percent(done)}</progress>`;
}

function written(parts: Readonly<Record<keyof Parts, Markup | undefined>>): Parts {
  const texts = PARTS.map((part) => [part, parts[part]?.text ?? ""]);
  return Object.fromEntries(texts);
}

/** X-values that all charts share, and the values of each line, chart by chart. */
export interface ChartPoints {
  readonly x: readonly number[];
  readonly lines: readonly (readonly Chart["series"][number]["values"][])[];
}

/**
 * An event for the page of a run in progress. A `tick` adds points to the charts. A `state` or
 * `end` replaces all points.
 */
export interface LiveEvent {
  readonly kind: "state" | "tick" | "end";
  readonly parts: Parts;
  readonly drawn: ChartPoints;
}

/** Creates an event with the complete state. */
export function stateEvent(now: LiveNow, points: readonly SecondPoint[]): LiveEvent {
  return {
    kind: "state",
    parts: runningParts(now),
    drawn: drawn(points, now.progress.scenarios),
  };
}

/** Creates an event that adds the last second to the page. */
export function tickEvent(now: LiveNow): LiveEvent {
  return { ...stateEvent(now, [now.progress.last]), kind: "tick" };
}

/** Creates the last event, with the summary of the run. */
export function endEvent(summary: Summary): LiveEvent {
  return {
    kind: "end",
    parts: endParts(summary),
    drawn: drawn(summary.timeline, summary.scenarios, summary.duration_ms),
  };
}

/** Serializes an event as a server-sent event. */
export function eventText({ kind, ...data }: LiveEvent): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

function drawn(
  points: readonly SecondPoint[],
  scenarios: readonly { readonly executor: string }[],
  durationMs?: number,
): ChartPoints {
  const shown = secondRows(points, durationMs);
  const charts = chartsOverTime(shown, hasOpenModel(scenarios));
  return {
    x: shown.map(({ at }) => at),
    lines: charts.map(({ series }) => series.map(({ values }) => values)),
  };
}

/** Maximum number of rows in a table, which the server sends every second. */
const MAX_ROWS = 20;

/** Lists the endpoints, failures and checks. `before` contains the counts one second earlier. */
export function liveSections(details: TickDetails, before: TickDetails | undefined): Section[] {
  const { failures, checks, endpoints } = details;
  const counted = failures.toSorted((a, b) => b.count - a.count).slice(0, MAX_ROWS);
  const failed = checks.toSorted((a, b) => b.fails - a.fails).slice(0, MAX_ROWS);
  return [
    liveEndpoints(endpoints, before?.endpoints ?? []),
    {
      ...failureSection({ endpoints, failures: counted }),
      note: more(failures.length, "kind", " of failures"),
    },
    { ...checkSection(failed), note: more(checks.length, "check") },
  ];
}

function liveEndpoints(
  endpoints: readonly EndpointData[],
  before: readonly EndpointData[],
): Section {
  const counts = new Map(before.map((endpoint) => [endpointKey(endpoint), requestsOf(endpoint)]));
  const shown = endpoints.toSorted((a, b) => b.failed - a.failed || requestsOf(b) - requestsOf(a))
    .slice(0, MAX_ROWS)
    .map((endpoint) => ({ ...endpoint, times: mergeHistograms(endpoint.histogram) }));
  return tableSection(
    "Endpoints",
    [
      {
        title: "Request",
        cell: ({ name, scenario, group }) => nameCell(name, groupPath(scenario, group)),
      },
      {
        title: "Last second",
        cell: (row) => rateCell(Math.max(0, requestsOf(row) - (counts.get(endpointKey(row)) ?? 0))),
      },
      { title: "Requests", cell: (row) => countCell(requestsOf(row)) },
      {
        title: "Failed",
        cell: (row) => shareCell(failedShare(row), row.failed > 0 ? "bad" : undefined),
      },
      ...[50, 95].map((percent): Column<typeof shown[number]> => ({
        title: `p${percent} so far`,
        cell: ({ times, count }) =>
          count === 0 ? NO_VALUE : timeCell(times.percentile(percent) / 1_000),
      })),
    ],
    shown,
    { note: more(endpoints.length, "endpoint") },
  );
}

function requestsOf({ count, unsent = 0 }: EndpointData): number {
  return count + unsent;
}

function endpointKey({ scenario, group, name, method }: EndpointData): string {
  return JSON.stringify([scenario, group, name, method]);
}

function more(count: number, noun: string, rest = ""): string | undefined {
  if (count <= MAX_ROWS) return undefined;
  return `${plural(count - MAX_ROWS, `more ${noun}`)}${rest} will be shown after the run.`;
}
