import { mergeHistograms } from "../../base/histogram.ts";
import { plural } from "../../base/format.ts";
import type { EndpointData, TickDetails } from "../../engine/metrics/snapshot.ts";
import { groupPath } from "../summary_words.ts";
import { failedShare } from "../stats.ts";
import {
  type Cell,
  countCell,
  nameCell,
  NO_VALUE,
  rateCell,
  type Section,
  shareCell,
  tableSection,
  timeCell,
} from "../blocks.ts";
import { checkSection } from "../run_sections.ts";
import { failureSection } from "../failure_sections.ts";

/**
 * Maximum number of rows in a table. The server sends the tables every second, and the page shows
 * all rows after the run.
 */
const MAX_ROWS = 20;

/**
 * Lists the endpoints, failures and checks of a run in progress. `before` contains the counts one
 * second earlier, if they are known.
 */
export function liveSections(details: TickDetails, before: TickDetails | undefined): Section[] {
  const { failures, checks, endpoints } = details;
  const counted = failures.toSorted((a, b) => b.count - a.count).slice(0, MAX_ROWS);
  const failed = checks.toSorted((a, b) => b.fails - a.fails).slice(0, MAX_ROWS);
  return [
    endpointSection(endpoints, before?.endpoints ?? []),
    {
      ...failureSection({ endpoints, failures: counted }),
      note: more(failures.length, "kind", " of failures"),
    },
    { ...checkSection(failed), note: more(checks.length, "check") },
  ];
}

interface EndpointRow extends EndpointData {
  /** Number of requests in the last second. */
  readonly now: number;
  /** Percentiles (`p50` and `p95`) of `http_req_duration` since the start of the run, in ms. */
  readonly p50: number;
  readonly p95: number;
}

function endpointSection(
  endpoints: readonly EndpointData[],
  before: readonly EndpointData[],
): Section {
  const counts = new Map(before.map((endpoint) => [endpointKey(endpoint), requestsOf(endpoint)]));
  const shown = endpoints.toSorted((a, b) => b.failed - a.failed || requestsOf(b) - requestsOf(a))
    .slice(0, MAX_ROWS);
  const rows = shown.map((endpoint): EndpointRow => {
    const histogram = mergeHistograms(endpoint.histogram);
    const now = requestsOf(endpoint) - (counts.get(endpointKey(endpoint)) ?? 0);
    const [p50, p95] = [50, 95].map((percent) => histogram.percentile(percent) / 1_000);
    return { ...endpoint, now, p50, p95 };
  });
  return tableSection<EndpointRow>(
    "Endpoints",
    [
      {
        title: "Request",
        cell: ({ name, scenario, group }) => nameCell(name, groupPath(scenario, group)),
      },
      { title: "Last second", cell: ({ now }) => rateCell(Math.max(0, now)) },
      { title: "Requests", cell: (row) => countCell(requestsOf(row)) },
      {
        title: "Failed",
        cell: (row) => shareCell(failedShare(row), row.failed > 0 ? "bad" : undefined),
      },
      { title: "p50 so far", hint: SO_FAR, cell: ({ p50, count }) => latencyCell(p50, count) },
      { title: "p95 so far", hint: SO_FAR, cell: ({ p95, count }) => latencyCell(p95, count) },
    ],
    rows,
    { note: more(endpoints.length, "endpoint") },
  );
}

const SO_FAR = "Since the start of the run";

function latencyCell(ms: number, count: number): Cell {
  return count === 0 ? NO_VALUE : timeCell(ms);
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
