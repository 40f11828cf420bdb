import { count } from "../../base/format.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import {
  type Chart,
  type Column,
  countCell,
  nameCell,
  rateCell,
  type Section,
  shareCell,
  tableSection,
  timeCell,
} from "../blocks.ts";
import { lines, type Markup, markup } from "../markup.ts";
import {
  checkSection,
  errorSection,
  failureSection,
  rankChecks,
  scenarioSection,
  thresholdSection,
  trendColumns,
  trendSection,
} from "../run_sections.ts";
import { failedShare, requestTotals, SHOWN_TIMES, statLabel } from "../stats.ts";
import { groupPath } from "../summary_words.ts";
import { document, sectionLinks } from "./print_html.ts";
import { correctedSamples, runCharts } from "./run_charts.ts";
import { keyMetrics, runBanner, title } from "./run_head.ts";
import { secondsPerPoint } from "./series.ts";
import { distributions, seriesLine } from "./svg_charts.ts";

/**
 * Creates a self-contained HTML report of a run. The report includes `plan`, the text of the plan,
 * if it is given.
 */
export async function runReport(summary: Summary, plan?: string): Promise<string> {
  const { charts, ...data } = runCharts(summary);
  const [others, ofTime] = [
    charts.filter(isDistribution),
    charts.filter((c) => !isDistribution(c)),
  ];
  const sections: Section[] = [
    thresholdSection(summary),
    { title: "Over time", note: zoomNote(summary), blocks: [{ charts: ofTime }] },
    endpointSection(summary, true),
    failureSection(summary),
    errorSection(summary),
    {
      title: "Distribution",
      note: CORRECTED[correctedSamples(summary)],
      blocks: [{ charts: others }],
    },
    ...references(summary, plan),
  ];
  const blocks = [
    { page: sectionLinks(sections) },
    runBanner(summary),
    { tiles: keyMetrics(summary) },
    ...sections,
    { page: footer(summary) },
  ];
  return await document({ title: `${title(summary.name)}: rehearse`, blocks, data });
}

const isDistribution = ({ axis }: Chart) => axis === "percentiles";

function zoomNote(summary: Summary): string {
  const size = secondsPerPoint(summary.timeline);
  const points = size <= 1
    ? "One point per second."
    : `One point per ${size} seconds. Rates are averages, and percentiles are those of the slowest second.`;
  return `${points} Drag to zoom all charts, double-click to reset the zoom. Click a label to hide its ` +
    "line.";
}

const CORRECTED = {
  none: undefined,
  all:
    "Corrected latency starts at the scheduled start of an iteration, so it includes the time that " +
    "a request waited while the target stalled.",
  some:
    "Corrected latency exists only for the first request of each iteration in an open model. This " +
    "curve also covers other requests, so corrected latency is listed only under Times.",
};

/** Maximum number of endpoints for which the reference sections of a report are initially open. */
const MAX_ENDPOINTS = 50;
/**
 * Maximum number of metrics in the table of times. If there are more, its section is initially
 * collapsed.
 */
const MAX_TIMES = 8;

function references(summary: Summary, plan: string | undefined): Section[] {
  const { endpoints, metrics } = summary;
  const isShort = endpoints.length <= MAX_ENDPOINTS;
  const times = Object.values(metrics).filter((stats) => "avg" in stats && stats.count > 0).length;
  const planText = plan === undefined ? undefined : markup`<pre tabindex="0">${lines(plan)}</pre>`;
  const fold = (section: Section, isOpen: boolean): Section => ({
    ...section,
    fold: isOpen ? "open" : "closed",
  });
  return [
    ...[
      groupSection(summary),
      checkSection(rankChecks(summary.checks)),
      scenarioSection(summary),
    ].map((section) => fold(section, isShort)),
    fold(trendSection(summary), isShort && times <= MAX_TIMES),
    fold({ title: "The plan", blocks: [{ page: planText }] }, false),
  ];
}

function groupSection({ groups }: Summary): Section {
  return tableSection(
    "Groups",
    [
      { title: "Group", cell: ({ scenario, group }) => groupPath(scenario, group) },
      { title: "Complete runs", cell: ({ duration }) => countCell(duration.count) },
      ...trendColumns<typeof groups[number]>(SHOWN_TIMES.trends, ({ duration }) => duration),
    ],
    groups,
    { sortable: true, only: "page" },
  );
}

function footer({ environment, schema, plan_hash }: Summary): Markup {
  const parts = [
    environment && `rehearse ${environment.version}`,
    `summary format ${schema}`,
    `plan ${plan_hash.slice(0, 12)}`,
  ];
  return markup`<footer class="faint">${parts.filter(Boolean).join(" · ")}</footer>`;
}

const DETAILS_NOTE =
  "Click a heading to sort, or the name of a request to see its percentiles and statuses over time.";

/** Minimum number of rows for a table to have a search field. */
const MIN_ROWS_FOR_FILTER = 12;

type Row = EndpointStats & {
  /** Path of the endpoint: its scenario, if the run has several, and its groups. */
  readonly path: string;
  readonly index: number;
  readonly shape: Markup;
  /** Duration of the run in seconds. */
  readonly seconds: number;
  /** Number of requests to all endpoints. */
  readonly all: number;
};

const NAME: Column<Row> = {
  title: "Request",
  cell: ({ name, path }) => nameCell(name, path),
  total: () => "All requests",
};

const LINKED_NAME: Column<Row> = {
  ...NAME,
  cell: ({ index, name, path }) => ({
    ...nameCell(name, path),
    page: markup`<a class="opens" href="#endpoint-${index}"><code>${name}</code></a>`,
  }),
};

const COLUMNS: readonly Column<Row>[] = [
  NAME,
  {
    title: "Sent",
    hint: "Requests sent",
    cell: ({ count }) => countCell(count),
    total: (rows) => countCell(requestTotals(rows).count),
  },
  {
    title: "Rate",
    hint: "Requests sent per second, averaged over the run",
    cell: ({ count, seconds }) => rateCell(perSecond(count, seconds)),
    total: (rows) => rateCell(perSecond(requestTotals(rows).count, rows[0].seconds)),
  },
  {
    title: "Share",
    hint: "The endpoint's share of all requests sent",
    cell: ({ count, all }) => shareCell(all === 0 ? 0 : count / all),
  },
  {
    title: "Not sent",
    hint: "Requests that could not be sent; they count as failed",
    isShown: (rows) => rows.some(({ unsent = 0 }) => unsent > 0),
    cell: ({ unsent = 0 }) => countCell(unsent, unsent > 0 ? "bad" : undefined),
    total: (rows) => countCell(requestTotals(rows).unsent),
  },
  {
    title: "Failed",
    hint: "Failed requests as a share of the endpoint's requests, including those not sent",
    cell: (row) => shareCell(failedShare(row), row.failed > 0 ? "bad" : undefined),
    total: (rows) => shareCell(failedShare(requestTotals(rows))),
  },
  {
    title: "Over time",
    hint:
      "Mean response time over the course of the run, scaled to the endpoint's maximum; marks at the bottom show failed requests",
    isShown: (rows) => rows.some(({ series }) => series !== undefined),
    cell: ({ series }) => series && seriesLine(series),
  },
  {
    title: "Distribution",
    hint: "Response times on a log scale that is the same for all rows; further left is faster",
    cell: ({ shape }) => shape,
  },
  ...trendColumns<Row>(SHOWN_TIMES.endpoints, ({ http_req_duration }) => http_req_duration),
  { title: "Responses", hint: "By status", cell: ({ statuses }) => responses(statuses) },
];

export function endpointSection(
  { endpoints, histograms, metrics, duration_ms, scenarios }: Summary,
  hasDetails = false,
): Section {
  const shapes = distributions(
    endpoints.map((_, i) => decodeHistogram(histograms.endpoints[i] ?? "")),
  );
  const all = requestTotals(endpoints).count;
  const seconds = duration_ms / 1_000;
  const rows = endpoints.map((endpoint, index): Row => ({
    ...endpoint,
    path: groupPath(scenarios.length > 1 ? endpoint.scenario : "", endpoint.group),
    index,
    seconds,
    all,
    shape: shapes[index],
  }));
  const duration = metrics.http_req_duration;
  const columns = COLUMNS.map((column) => {
    if (column === NAME && hasDetails) return LINKED_NAME;
    const key = SHOWN_TIMES.endpoints.find((key) => column.title === statLabel(key));
    if (key === undefined || duration === undefined || !("avg" in duration)) return column;
    return { ...column, total: () => timeCell(duration[key]) };
  });
  return tableSection("Endpoints", columns, rows, {
    ...(hasDetails && { note: DETAILS_NOTE }),
    sortable: true,
    sortedBy: "Sent",
    rowIds: "endpoint",
    ...(rows.length >= MIN_ROWS_FOR_FILTER && { filter: "Filter endpoints" }),
  });
}

function perSecond(count: number, seconds: number): number {
  return seconds === 0 ? 0 : count / seconds;
}

function responses(statuses: EndpointStats["statuses"]): string {
  return Object.entries(statuses)
    .sort(([, a], [, b]) => b - a)
    .map(([status, n]) => `${status === "0" ? "none" : safeSnippet(status, 3)} ×${count(n)}`)
    .join(", ");
}
