import { durationMs, formatMs, formatNumber, plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { chooseRatePeriod } from "../../convert/accesslog/rate/follow_curve.ts";
import { areaReader } from "../../convert/accesslog/rate/rate_curve.ts";
import type { Converted } from "../../convert/converted.ts";
import { noteLevel } from "../../convert/notes/notes.ts";
import { rateCurve } from "../../plan/kinds/executors.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import type { RatePoint } from "../../plan/kinds/scenario.ts";
import { requestRange } from "../../plan/predicted_load.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Statuses } from "../../traffic/accesslog/collect/request_counts.ts";
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
import type { ChartData } from "../chart.ts";
import { type Markup, markup } from "../markup.ts";
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

/** Maximum number of points in a chart of the request rate. */
const MAX_POINTS = 1_200;

/**
 * Maximum ratio of the plan's rate to the log's rate that the chart shows. Larger ratios are
 * capped.
 */
const MOST_RATIO = 16;

/**
 * Creates two charts. The first one shows the request rates in a log and in the plan created from
 * it. The second one shows the ratio of the two rates, so that readers can see how well the plan
 * fits the log even if the log's rate varies a lot. `zone` is the time zone of the x-axis. The note
 * explains the points and the axis.
 */
export function rateChart(
  profile: TrafficProfile,
  plan: Plan,
  span: TimeSpan,
  zone: string,
): { readonly note: string; readonly data: ChartData } {
  const buckets = Math.min(MAX_POINTS, span.seconds);
  const planned = plannedCurve(plan, profile, span);
  const middles = Array.from({ length: buckets }, (_, i) => (i + 0.5) / buckets);
  const digits = (n: number) => Number(n.toPrecision(6));
  // Rounded to milliseconds, because six significant digits of Unix seconds would round to hours.
  const time = (at: number) => Math.round((span.first + at * span.seconds) * 1_000) / 1_000;
  // The periods that are also used to judge how well the plan fits the log.
  const period = chooseRatePeriod(profile, span);
  const periodSeconds = Math.max(period, span.seconds / buckets);
  const periods = Math.max(1, Math.floor(span.seconds / periodSeconds));
  const logged = profile.rates(periods);
  const ratios = meanRates(planned, periods).map((rate, i) =>
    rate === 0 && logged[i] === 0
      ? null
      : digits(Math.max(1 / MOST_RATIO, Math.min(MOST_RATIO, rate / logged[i])))
  );
  const ratio = middles.map((at) => ratios[Math.floor(at * periods)]);
  const data: ChartData = {
    axes: { utc: middles.map(time) },
    zone,
    charts: [{
      title: "Requests",
      axis: "utc",
      unit: "rate",
      series: [
        { label: "log", tone: "quiet", values: profile.rates(buckets).map(digits) },
        { label: "plan", tone: "one", values: meanRates(planned, buckets).map(digits) },
      ],
    }, {
      title: "Plan's rate as a multiple of the log's",
      axis: "utc",
      unit: "ratio",
      series: [
        { label: "plan ÷ log", tone: "one", stepped: true, values: ratio },
        { label: "half", tone: "quiet", dashed: true, values: middles.map(() => 1 / 2) },
        { label: "twice", tone: "quiet", dashed: true, values: middles.map(() => 2) },
      ],
    }],
  };
  return { data, note: rateNote(secondsOf(planned), span, period, zone) };
}

function rateNote(seconds: number, span: TimeSpan, periodSeconds: number, zone: string): string {
  const step = span.seconds / Math.min(MAX_POINTS, span.seconds);
  const point = step === 1
    ? "One point per second"
    : `Each point is the average over ${formatNumber(step)} s`;
  const drawn = Math.abs(seconds - span.seconds) < 1
    ? ""
    : `. The plan's duration of ${formatMs(seconds * 1_000)} is stretched to that of the log`;
  return `${point}${drawn}. The second chart compares periods of ${
    formatMs(periodSeconds * 1_000)
  }: ` +
    "where its line is outside the dashed lines, the plan sends less than half or more than twice " +
    `the log's rate. Times are in the time zone ${zone}. Drag to zoom, double-click to reset the zoom.`;
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

const HOURS = 24;
const [CELL_WIDTH, CELL_HEIGHT, LEFT, TOP] = [34, 20, 40, 18];
/** Minimum time span of a log, in seconds, for which the map is useful. */
const LEAST_SECONDS = 7_200;
/** Opacity of the faintest cell with requests, so that it is not mistaken for an empty one. */
const LEAST_OPACITY = 0.08;

function countByHour(profile: TrafficProfile, times: LocalTimes): number[][] {
  const counts = WEEKDAYS.map(() => new Array<number>(HOURS).fill(0));
  profile.forEachSecond((second, requests) => {
    const { weekday, hour } = times.weekHour(second);
    counts[weekday][hour] += requests;
  });
  return counts;
}

/**
 * Draws a heat map of the requests in each hour of the week, in the time zone of `times`. Returns
 * undefined for a log of less than two hours.
 */
function heatMap(
  profile: TrafficProfile,
  span: TimeSpan,
  times: LocalTimes,
): Markup | undefined {
  if (span.seconds < LEAST_SECONDS) return undefined;
  const counts = countByHour(profile, times);
  const most = Math.max(...counts.flat());
  const [width, height] = [LEFT + HOURS * CELL_WIDTH, TOP + WEEKDAYS.length * CELL_HEIGHT];
  const hours = Array.from(
    { length: HOURS / 2 },
    (_, i) => markup`<text x="${LEFT + 2 * i * CELL_WIDTH}" y="${TOP - 6}">${2 * i}</text>`,
  );
  const days = WEEKDAYS.map((day, i) =>
    markup`<text x="0" y="${TOP + i * CELL_HEIGHT + 14}">${day.slice(0, 3)}</text>`
  );
  const cells = counts.flatMap((row, day) =>
    row.map((count, hour) => cell(day, hour, count, count / most))
  );
  return markup`
    <div class="scroll" tabindex="0" role="region" aria-label="Requests by hour and weekday">
      <svg class="heat" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
        role="img" aria-label="${describe(counts, most)}">
        ${hours}${days}${cells}
      </svg>
    </div>
  `;
}

function cell(day: number, hour: number, count: number, share: number): Markup {
  const opacity = count === 0 ? 0 : LEAST_OPACITY + (1 - LEAST_OPACITY) * Math.sqrt(share);
  const [x, y] = [LEFT + hour * CELL_WIDTH, TOP + day * CELL_HEIGHT];
  const title = `${WEEKDAYS[day]} ${hour}:00 to ${hour + 1}:00: ${plural(count, "request")}`;
  return markup`
    <rect x="${x}" y="${y}" width="${CELL_WIDTH - 1}" height="${CELL_HEIGHT - 1}"
      fill-opacity="${opacity.toFixed(2)}" data-count="${count}"><title>${title}</title></rect>
  `;
}

function describe(counts: readonly (readonly number[])[], most: number): string {
  const day = counts.findIndex((row) => row.includes(most));
  const hour = counts[day].indexOf(most);
  return `Requests by hour and weekday. The peak is ${plural(most, "request")}, on ${
    WEEKDAYS[day]
  } from ${hour}:00 to ${hour + 1}:00.`;
}

export const WEEKDAYS = [
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
] as const;

/**
 * Length of a quarter-hour in seconds. Apart from rare historical exceptions, time zones change
 * their UTC offset only at the start of a quarter-hour.
 */
const QUARTER_SECONDS = 900;

export class LocalTimes {
  /** Name of the zone, such as `UTC`, `+02:00` or `Europe/Berlin`. */
  readonly zone: string;
  /** Weekday (0 is Monday) and hour, by the number of the quarter-hour since 1970. */
  readonly #hours = new Map<number, { readonly weekday: number; readonly hour: number }>();

  /** Creates a formatter for a zone that `parseTimeZone` returned. */
  constructor(zone: string) {
    this.zone = zone;
  }

  /** Formats a Unix second, such as `2026-11-21 12:00:00 +02:00`. */
  text(second: number): string {
    const local = this.#at(second).toPlainDateTime().toString({ smallestUnit: "second" });
    return `${local.replace("T", " ")} ${this.zone}`;
  }

  /** Returns the weekday (0 is Monday) and the hour of a Unix second. */
  weekHour(second: number): { readonly weekday: number; readonly hour: number } {
    return this.#hours.getOrInsertComputed(Math.floor(second / QUARTER_SECONDS), (quarter) => {
      const { dayOfWeek, hour } = this.#at(quarter * QUARTER_SECONDS);
      return { weekday: dayOfWeek - 1, hour };
    });
  }

  #at(second: number): Temporal.ZonedDateTime {
    return Temporal.Instant.fromEpochMilliseconds(second * 1_000).toZonedDateTimeISO(this.zone);
  }
}
