import { decodeHistogram } from "../../base/histogram_encoding.ts";
import type { EndpointStats, Summary } from "../../engine/summary/summary.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { failedShare } from "../summary_stats.ts";
import { count } from "../../base/format.ts";
import { groupPath } from "../summary_words.ts";
import { SHOWN_TIMES } from "../shown_times.ts";
import { distributions, seriesLine } from "./svg_charts.ts";
import { type Markup, markup } from "./markup.ts";
import { countCell, type HtmlColumn, htmlTable, shareCell, sizeCell } from "./html_table.ts";
import { trendColumns } from "./trend_table.ts";

/** Minimum number of rows for a table to have a search field. */
const MIN_ROWS_FOR_FILTER = 12;

type Row = EndpointStats & { readonly shape: Markup };

const COLUMNS: readonly HtmlColumn<Row>[] = [
  {
    title: "Request",
    cell: ({ name, scenario, group }) =>
      markup`<code>${name}</code> <small>${groupPath(scenario, group)}</small>`,
  },
  { title: "Sent", hint: "Requests sent", cell: ({ count }) => countCell(count) },
  {
    title: "Not sent",
    hint: "Requests that could not be sent; they count as failed",
    isShown: (rows) => rows.some(({ unsent = 0 }) => unsent > 0),
    cell: ({ unsent = 0 }) => countCell(unsent, unsent > 0 ? "bad" : undefined),
  },
  {
    title: "Headers omitted",
    hint: "`Referer` and `Origin` headers omitted or shortened because a variable was not set",
    isShown: (rows) => rows.some(({ omitted_headers = 0 }) => omitted_headers > 0),
    cell: ({ omitted_headers = 0 }) => countCell(omitted_headers),
  },
  {
    title: "Failed",
    hint: "Share of all requests, both sent and unsent",
    cell: (row) => shareCell(failedShare(row), row.failed > 0 ? "bad" : undefined),
  },
  {
    title: "Over time",
    hint:
      "Mean response time during the run, scaled to the endpoint's maximum; marks at the bottom show failed requests",
    isShown: (rows) => rows.some(({ series }) => series !== undefined),
    cell: ({ series }) => series && seriesLine(series),
  },
  {
    title: "Distribution",
    hint: "Response times on a log scale that is the same for all rows; further left is faster",
    cell: ({ shape }) => shape,
  },
  ...trendColumns<Row>(SHOWN_TIMES.endpoints, ({ http_req_duration }) => http_req_duration),
  { title: "Received", cell: ({ bytes_received }) => sizeCell(bytes_received) },
  { title: "Responses", hint: "By status", cell: ({ statuses }) => responses(statuses) },
];

/**
 * Creates a table of the endpoints with their numbers of requests and failures, and their response
 * times. Returns undefined if there are no endpoints.
 */
export function endpointTable({ endpoints, histograms }: Summary): Markup | undefined {
  const shapes = distributions(
    endpoints.map((_, i) => decodeHistogram(histograms.endpoints[i] ?? "")),
  );
  const rows = endpoints.map((endpoint, i): Row => ({ ...endpoint, shape: shapes[i] }));
  return htmlTable(COLUMNS, rows, {
    caption: "Endpoints",
    sortable: true,
    ...(rows.length >= MIN_ROWS_FOR_FILTER && { filter: "Filter endpoints" }),
  });
}

function responses(statuses: EndpointStats["statuses"]): string {
  return Object.entries(statuses)
    .sort(([, a], [, b]) => b - a)
    .map(([status, n]) => `${status === "0" ? "none" : safeSnippet(status, 3)} ×${count(n)}`)
    .join(", ");
}
