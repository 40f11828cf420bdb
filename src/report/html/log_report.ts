import { formatMs, plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Converted } from "../../convert/converted.ts";
import { noteLevel } from "../../convert/notes/notes.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Statuses } from "../../traffic/accesslog/collect/small_collectors.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/tally.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import {
  type Banner,
  type Column,
  countCell,
  nameCell,
  rateCell,
  type Section,
  shareCell,
  table,
  tableSection,
  type Tile,
} from "../blocks.ts";
import type { Markup } from "../markup.ts";
import { heatMap, LocalTimes, rateChart } from "./log_charts.ts";
import { document } from "./print_html.ts";
import { barChart } from "./svg_charts.ts";

const MAX_ROWS = 500;
/** Maximum number of rows that a table shows before the reader expands it. */
const FIRST_ROWS = 20;

export interface LogReportInput {
  /** Profile of the log. It contains at least one request. */
  readonly profile: TrafficProfile;
  /** Plan and notes that `convert` created from the log. */
  readonly converted: Converted;
  /** Number of requests for each status. Absent if statuses were not counted. */
  readonly statuses?: Statuses;
  /** Time zone in which to show times, as returned by `parseTimeZone` (default: UTC). */
  readonly zone?: string;
}

/** Creates a self-contained HTML page about a log and the plan created from it. */
export async function logReport(log: LogReportInput): Promise<string> {
  const { profile, converted, statuses } = log;
  const span = profile.span()!;
  const times = new LocalTimes(log.zone ?? "UTC");
  const { note, data: { charts, ...data } } = rateChart(
    profile,
    converted.plan,
    span,
    times.zone,
  );
  const endpoints = profile.top(Infinity);
  const kept = keptEndpoints(converted.plan, endpoints);
  const { requests } = profile;
  const sections: Section[] = [
    notesSection(converted),
    mixSection("Statuses", "Status", statuses === undefined ? [] : statusNames(statuses), requests),
    {
      title: "Rate over time",
      note,
      blocks: [{ charts }],
    },
    {
      title: "Requests by hour and weekday",
      note: `Times are in the time zone ${times.zone}.`,
      blocks: [{ page: heatMap(profile, span, times) }],
    },
    endpointSection(endpoints, kept, requests),
    mixSection("Methods", "Method", methods(endpoints), requests),
    skippedSection(profile),
  ];
  const banner: Banner = {
    banner: "Access log",
    text: plural(requests, "request"),
    title: `${times.text(span.first)} to ${times.text(span.last)}`,
  };
  const blocks = [banner, { tiles: logTiles(log, span, kept, times) }, ...sections];
  return await document({ title: "Access log: rehearse", blocks, data });
}

function logTiles(
  { profile }: LogReportInput,
  span: TimeSpan,
  kept: ReadonlySet<EndpointCount>,
  times: LocalTimes,
): Tile[] {
  const covered = [...kept].reduce((sum, { count }) => sum + count, 0);
  return [
    { label: "Requests", cell: countCell(profile.requests) },
    {
      label: "Average",
      cell: rateCell(profile.requests / span.seconds),
      detail: `over ${formatMs(span.seconds * 1_000)}`,
    },
    {
      label: "Peak second",
      cell: rateCell(span.peak),
      detail: times.text(span.peakSecond),
    },
    { label: "Endpoints", cell: countCell(profile.endpoints), detail: `${kept.size} in the plan` },
    {
      label: "In the plan",
      cell: shareCell(covered / profile.requests),
      detail: "of the requests",
    },
    { label: "Skipped lines", cell: countCell(profile.malformed) },
  ];
}

function keptEndpoints(plan: Plan, endpoints: readonly EndpointCount[]): Set<EndpointCount> {
  const flows = Object.values(plan.scenarios).map(({ flow }) => flow);
  const names = new Set(flows.flatMap((flow) => [...listRequests(flow)].map(({ name }) => name)));
  return new Set(endpoints.filter(({ method, route }) => names.has(`${method} ${route}`)));
}

function endpointSection(
  endpoints: readonly EndpointCount[],
  kept: ReadonlySet<EndpointCount>,
  requests: number,
): Section {
  const most = endpoints[0].count;
  return tableSection(
    "Endpoints",
    [
      { title: "Endpoint", cell: ({ method, route }) => nameCell(`${method} ${route}`) },
      { title: "Requests", cell: ({ count }) => countCell(count) },
      { title: "Share", cell: ({ count }) => shareCell(count / requests) },
      { title: "Relative", cell: ({ count }) => bar(count / most) },
      {
        title: "Plan",
        cell: (endpoint) =>
          kept.has(endpoint) ? "included" : { text: "not included", tone: "faint" },
      },
    ],
    endpoints.slice(0, MAX_ROWS),
    {
      ...(endpoints.length > MAX_ROWS && {
        note: `The table shows the ${plural(MAX_ROWS, "most frequent endpoint")}.`,
      }),
      sortable: true,
      filter: "Filter endpoints",
      first: FIRST_ROWS,
    },
  );
}

function bar(share: number): Markup {
  const width = Math.max(1, Math.round(120 * share));
  return barChart(120, 10, `M0 0h${width}v10h-${width}z`);
}

type Mix = readonly (readonly [name: string, count: number])[];

function methods(endpoints: readonly EndpointCount[]): Mix {
  const counts = new Map<string, number>();
  for (const { method, count } of endpoints) counts.set(method, (counts.get(method) ?? 0) + count);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function statusNames(statuses: Statuses): Mix {
  return statuses.total().map(([status, count]) => [status === 0 ? "none" : `${status}`, count]);
}

function mixSection(title: string, name: string, mix: Mix, requests: number): Section {
  const columns: Column<Mix[number]>[] = [
    { title: name, cell: ([name]) => name },
    { title: "Requests", cell: ([, count]) => countCell(count) },
    { title: "Share", cell: ([, count]) => shareCell(count / requests) },
    { title: "Relative", cell: ([, count]) => bar(count / mix[0][1]) },
  ];
  return { title, blocks: [table(`${name} mix`, columns, mix, { sortable: true })] };
}

function skippedSection({ malformedByReason, firstMalformed }: TrafficProfile): Section {
  const { source = "", line = 0, snippet = "" } = firstMalformed?.place ?? {};
  return tableSection(
    "Skipped lines",
    [
      { title: "Reason", cell: ([reason]) => reason },
      { title: "Lines", cell: ([, count]) => countCell(count) },
    ],
    Object.entries(malformedByReason).filter(([, count]) => count > 0),
    { note: `The first skipped line is ${source}:${line}: ${safeSnippet(snippet, 200)}` },
  );
}

function notesSection({ notes }: Converted): Section {
  return tableSection(
    "Warnings and notes",
    [
      { title: "Level", cell: (note) => noteLevel(note) },
      { title: "Subject", cell: ({ subject }) => nameCell(subject) },
      { title: "Message", cell: ({ message }) => message },
    ],
    notes,
  );
}
