import { percent, plural } from "../../base/format.ts";
import { parseThresholds } from "../../engine/metrics/summarize.ts";
import type { Progress, ScenarioProgress } from "../../engine/progress.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import {
  type Block,
  type Chart,
  type Column,
  countCell,
  nameCell,
  NO_VALUE,
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
import { endpointSection } from "./run_report.ts";
import LIVE from "./page/live.js" with { type: "text" };
import { bannerLines, document, printHtml } from "./print_html.ts";
import { chartLimits, chartsOverTime } from "./run_charts.ts";
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

/** HTML of the parts of the page that change during a run: the charts are after `top`. */
export type Parts = Readonly<Record<"head" | "top" | "rest", string>>;

export interface LiveNow {
  /** Name of the run; empty for a run without a name. */
  readonly name: string;
  readonly progress: Progress;
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
      part("top"),
      { title: "Over time", note: zoomNote, blocks: [{ charts }] },
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

function part(name: keyof Parts): Block {
  return { page: markup`<div data-part="${name}"></div>` };
}

function runningParts(now: LiveNow): Parts {
  const { progress } = now;
  return {
    head: running(now).text,
    top: printHtml([
      { title: "Last second", blocks: [{ tiles: tiles(progress) }] },
      thresholdSection(progress),
    ]).text,
    rest: printHtml([
      scenarios(progress),
      ...(progress.details ? liveSections(progress.details) : []),
    ]).text,
  };
}

function endParts(summary: Summary): Parts {
  return {
    head: bannerLines(runBanner(summary)).text,
    top: printHtml([{ tiles: keyMetrics(summary) }, thresholdSection(summary)]).text,
    rest: printHtml([
      scenarioSection(summary),
      endpointSection(summary),
      failureSection(summary),
      errorSection(summary),
      checkSection(rankChecks(summary.checks)),
    ]).text,
  };
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

/** X-values that all charts share, and the values of each line, chart by chart. */
export interface ChartPoints {
  readonly x: readonly number[];
  readonly lines: readonly (readonly Chart["series"][number]["values"][])[];
}

/** An event for the page of a run in progress, with all that the page shows. */
export interface LiveEvent {
  readonly kind: "state" | "end";
  readonly parts: Parts;
  readonly drawn: ChartPoints;
}

/** Creates an event with the state of a run in progress. */
export function stateEvent(now: LiveNow, points: readonly SecondPoint[]): LiveEvent {
  return {
    kind: "state",
    parts: runningParts(now),
    drawn: drawn(points, now.progress.scenarios),
  };
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

/** Lists the endpoints, failures and checks, those with failures first. */
export function liveSections({ failures, checks, endpoints }: TickDetails): Section[] {
  const top = <Row>(rows: readonly Row[], compare: (a: Row, b: Row) => number) =>
    rows.toSorted(compare).slice(0, MAX_ROWS);
  const requests = ({ count, unsent = 0 }: EndpointData) => count + unsent;
  return [
    tableSection<EndpointData>(
      "Endpoints",
      [
        {
          title: "Request",
          cell: ({ name, scenario, group }) => nameCell(name, groupPath(scenario, group)),
        },
        { title: "Requests", cell: (row) => countCell(requests(row)) },
        {
          title: "Failed",
          cell: (row) => shareCell(failedShare(row), row.failed > 0 ? "bad" : undefined),
        },
        ...[50, 95].map((percent): Column<EndpointData> => ({
          title: `p${percent} so far`,
          cell: ({ histogram, count }) =>
            count === 0
              ? NO_VALUE
              : timeCell(mergeHistograms(histogram).percentile(percent) / 1_000),
        })),
      ],
      top(endpoints, (a, b) => b.failed - a.failed || requests(b) - requests(a)),
      { note: more(endpoints.length, "endpoint") },
    ),
    {
      ...failureSection({ endpoints, failures: top(failures, (a, b) => b.count - a.count) }),
      note: more(failures.length, "kind", " of failures"),
    },
    {
      ...checkSection(top(checks, (a, b) => b.fails - a.fails)),
      note: more(checks.length, "check"),
    },
  ];
}

function more(count: number, noun: string, rest = ""): string | undefined {
  if (count <= MAX_ROWS) return undefined;
  return `${plural(count - MAX_ROWS, `more ${noun}`)}${rest} will be shown after the run.`;
}
