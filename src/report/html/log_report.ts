import { durationMs, formatMs, formatNumber, plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { areaReader } from "../../convert/accesslog/rate/rate_curve.ts";
import type { Converted } from "../../convert/converted.ts";
import { noteLevel } from "../../convert/notes/notes.ts";
import { rateCurve } from "../../plan/kinds/executors.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import type { RatePoint } from "../../plan/kinds/scenario.ts";
import { requestRange } from "../../plan/predicted_load.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Statuses } from "../../traffic/accesslog/collect/request_counts.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import {
  type Banner,
  type ChartData,
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
  const zone = log.zone ?? "UTC";
  const { note, data: { charts, ...data } } = rateChart(profile, converted.plan, span, zone);
  const endpoints = profile.top(Infinity);
  const kept = keptEndpoints(converted.plan, endpoints);
  const { requests } = profile;
  const sections: Section[] = [
    notesSection(converted),
    mixSection("Statuses", "Status", statuses === undefined ? [] : statusNames(statuses), requests),
    { title: "Rate over time", note, blocks: [{ charts }] },
    endpointSection(endpoints, kept, requests),
    mixSection("Methods", "Method", methods(endpoints), requests),
    skippedSection(profile),
  ];
  const banner: Banner = {
    banner: "Access log",
    text: plural(requests, "request"),
    title: `${localTime(span.first, zone)} to ${localTime(span.last, zone)}`,
  };
  const blocks = [banner, { tiles: logTiles(log, span, kept, zone) }, ...sections];
  return await document({ title: "Access log: rehearse", blocks, data });
}

function logTiles(
  { profile }: LogReportInput,
  span: TimeSpan,
  kept: ReadonlySet<EndpointCount>,
  zone: string,
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
      detail: localTime(span.peakSecond, zone),
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

/** Maximum number of points in a chart of the request rate. */
const MAX_POINTS = 1_200;

/**
 * Creates a chart of the request rates in a log and in the plan created from it. `zone` is the time
 * zone of the x-axis. The note explains the points and the axis.
 */
export function rateChart(
  profile: TrafficProfile,
  plan: Plan,
  span: TimeSpan,
  zone: string,
): { readonly note: string; readonly data: ChartData } {
  const points = Math.min(MAX_POINTS, span.seconds);
  const planned = plannedCurve(plan, profile, span);
  const digits = (n: number) => Number(n.toPrecision(6));
  // Rounded to milliseconds, because six significant digits of Unix seconds would round to hours.
  const times = Array.from({ length: points }, (_, i) => {
    return Math.round((span.first + (i + 0.5) / points * span.seconds) * 1_000) / 1_000;
  });
  const data: ChartData = {
    axes: { utc: times },
    zone,
    charts: [{
      title: "Requests",
      axis: "utc",
      unit: "rate",
      series: [
        { label: "log", tone: "quiet", values: profile.rates(points).map(digits) },
        { label: "plan", tone: "one", values: meanRates(planned, points).map(digits) },
      ],
    }],
  };
  return { data, note: rateNote(secondsOf(planned), span, zone) };
}

function rateNote(seconds: number, span: TimeSpan, zone: string): string {
  const step = span.seconds / Math.min(MAX_POINTS, span.seconds);
  const point = step === 1
    ? "One point per second"
    : `Each point is the average over ${formatNumber(step)} s`;
  const drawn = Math.abs(seconds - span.seconds) < 1
    ? ""
    : `. The plan's duration of ${formatMs(seconds * 1_000)} is stretched to that of the log`;
  return `${point}${drawn}. Times are in the time zone ${zone}. Drag to zoom, double-click to reset ` +
    "the zoom.";
}

/** Planned iterations per second over the run, and the mean number of requests of each. */
interface PlannedCurve {
  readonly curve: readonly RatePoint[];
  readonly each: number;
}

/** A plan that `convert` created from a log has one scenario, with an open model. */
function plannedCurve(
  { scenarios }: Plan,
  profile: TrafficProfile,
  span: TimeSpan,
): PlannedCurve {
  const [scenario] = Object.values(scenarios);
  const { mean, min } = requestRange(scenario.flow);
  const each = mean ?? min;
  if (scenario.executor !== "recorded-arrivals") return { curve: rateCurve(scenario), each };
  const rates = profile.rates(Math.min(MAX_POINTS, span.seconds));
  const scale = scenario.rate * span.seconds / profile.requests;
  const step = durationMs(scenario.duration)! / 1_000 / rates.length;
  const curve = rates.flatMap((rate, i) =>
    [i, i + 1].map((end) => ({ seconds: end * step, rate: rate * scale }))
  );
  return { curve, each };
}

function secondsOf({ curve }: PlannedCurve): number {
  return curve[curve.length - 1].seconds;
}

/** Divides the run into equal parts. Returns the mean requests per second in each of them. */
function meanRates(planned: PlannedCurve, parts: number): number[] {
  const seconds = secondsOf(planned);
  const areaAt = areaReader({
    times: planned.curve.map((point) => point.seconds),
    rates: planned.curve.map((point) => point.rate),
  });
  const areas = Array.from({ length: parts + 1 }, (_, i) => areaAt(i / parts * seconds));
  return areas.slice(1).map((area, i) => planned.each * (area - areas[i]) * parts / seconds);
}

/** Formats a Unix second in a zone of `parseTimeZone`, such as `2026-11-21 12:00:00 +02:00`. */
export function localTime(second: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(second * 1_000).toZonedDateTimeISO(zone);
  const text = local.toPlainDateTime().toString({ smallestUnit: "second" });
  return `${text.replace("T", " ")} ${zone}`;
}
