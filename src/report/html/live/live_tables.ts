import { mergeHistograms } from "../../../base/histogram.ts";
import { plural } from "../../../base/format.ts";
import type { EndpointData, TickDetails } from "../../../engine/metrics/snapshot.ts";
import type { CheckData } from "../../../engine/metrics/check_series.ts";
import { describeFailure, groupPath } from "../../summary_words.ts";
import { failedShare } from "../../summary_stats.ts";
import { htmlSection } from "../document.ts";
import {
  countCell,
  type HtmlCell,
  type HtmlColumn,
  htmlTable,
  rateCell,
  shareCell,
  timeCell,
} from "../html_table.ts";
import { type Markup, markup } from "../markup.ts";

/**
 * Maximum number of rows in a table. The server sends the tables every second, and the page shows
 * all rows after the run.
 */
const MAX_ROWS = 20;

/**
 * Renders the endpoints, failures and checks of a run in progress. `before` contains the counts one
 * second earlier, if they are known. Recorded text is escaped.
 */
export function liveTables(details: TickDetails, before: TickDetails | undefined): Markup {
  return markup`
    ${endpointSection(details.endpoints, before?.endpoints ?? [])}
    ${failureSection(details)}
    ${checkSection(details.checks)}
  `;
}

interface EndpointRow extends EndpointData {
  /** Number of requests in the last second. */
  readonly now: number;
  /** Percentiles (`p50` and `p95`) of `http_req_duration` since the start of the run, in ms. */
  readonly p50: number;
  readonly p95: number;
}

/**
 * Renders the endpoints. Those with the most failures come first, then those with the most
 * requests.
 */
function endpointSection(
  endpoints: readonly EndpointData[],
  before: readonly EndpointData[],
): Markup | undefined {
  const counts = new Map(before.map((endpoint) => [endpointKey(endpoint), requestsOf(endpoint)]));
  const shown = endpoints.toSorted((a, b) => b.failed - a.failed || requestsOf(b) - requestsOf(a))
    .slice(0, MAX_ROWS);
  const rows = shown.map((endpoint): EndpointRow => {
    const histogram = mergeHistograms(endpoint.histogram);
    const now = requestsOf(endpoint) - (counts.get(endpointKey(endpoint)) ?? 0);
    const [p50, p95] = [50, 95].map((percent) => histogram.percentile(percent) / 1_000);
    return { ...endpoint, now, p50, p95 };
  });
  const table = htmlTable<EndpointRow>(
    [
      { title: "Request", cell: ({ name, scenario, group }) => nameCell(name, scenario, group) },
      { title: "Last second", cell: ({ now }) => rateCell(Math.max(0, now)) },
      { title: "Requests", cell: (row) => countCell(requestsOf(row)) },
      { title: "Failed", cell: (row) => shareCell(failedShare(row), tone(row.failed)) },
      { title: "p50 so far", hint: SO_FAR, cell: ({ p50, count }) => latencyCell(p50, count) },
      { title: "p95 so far", hint: SO_FAR, cell: ({ p95, count }) => latencyCell(p95, count) },
    ],
    rows,
    { caption: "Endpoints" },
  );
  return htmlSection("Endpoints", table, more(endpoints.length, "endpoint"));
}

const SO_FAR = "Since the start of the run";

function latencyCell(ms: number, count: number): HtmlCell {
  return count === 0 ? { content: "–", value: -1 } : timeCell(ms);
}

function failureSection({ failures = [] }: TickDetails): Markup | undefined {
  type Row = typeof failures[number];
  const columns: readonly HtmlColumn<Row>[] = [
    { title: "Request", cell: ({ name, scenario, group }) => nameCell(name, scenario, group) },
    { title: "Failure", cell: ({ status, kind }) => describeFailure(status, kind) },
    { title: "Count", cell: ({ count }) => countCell(count, "bad") },
    { title: "First message", cell: ({ message = "" }) => message },
  ];
  const rows = failures.toSorted((a, b) => b.count - a.count).slice(0, MAX_ROWS);
  const table = htmlTable(columns, rows, { caption: "Failures" });
  return htmlSection("Failures", table, more(failures.length, "kind", " of failures"));
}

/** Renders the checks, failed ones first. */
function checkSection(checks: readonly CheckData[]): Markup | undefined {
  const rows = checks.toSorted((a, b) => b.fails - a.fails).slice(0, MAX_ROWS);
  const table = htmlTable(
    [
      { title: "Check", cell: ({ name, scenario, group }) => nameCell(name, scenario, group) },
      { title: "Request", cell: ({ request = "" }) => request },
      { title: "Passed", cell: ({ passes }) => countCell(passes) },
      { title: "Failed", cell: ({ fails }) => countCell(fails, tone(fails)) },
    ],
    rows,
    { caption: "Checks" },
  );
  return htmlSection("Checks", table, more(checks.length, "check"));
}

function nameCell(name: string, scenario: string, group: string): Markup {
  return markup`<code>${name}</code> <small>${groupPath(scenario, group)}</small>`;
}

function tone(failed: number): "bad" | undefined {
  return failed > 0 ? "bad" : undefined;
}

function requestsOf({ count, unsent = 0 }: EndpointData): number {
  return count + unsent;
}

function endpointKey({ scenario, group, name, method }: EndpointData): string {
  return JSON.stringify([scenario, group, name, method]);
}

/** Returns a note on the rows that a table omits, or undefined if it contains all rows. */
function more(count: number, noun: string, rest = ""): string | undefined {
  if (count <= MAX_ROWS) return undefined;
  return `${plural(count - MAX_ROWS, `more ${noun}`)}${rest} will be shown after the run.`;
}
