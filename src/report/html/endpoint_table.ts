import { decodeHistogram } from "../../base/histogram_encoding.ts";
import type { EndpointFigures, Summary } from "../../engine/summary.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { count } from "../text/units.ts";
import { within } from "../within.ts";
import { distributions } from "./distribution.ts";
import { html, type Markup } from "./markup.ts";
import { counted, shared, sized } from "./number.ts";
import { seriesLine } from "./series_line.ts";
import { type Column, table } from "./table.ts";
import { trendColumns } from "./trend_table.ts";

/** From this many on, a table can be searched. */
const MANY = 12;

type Row = EndpointFigures & { readonly shape: Markup };

const OVER_TIME: Column<Row> = {
  title: "Over time",
  hint: "The mean time, from 0 to its own highest; marks below where requests failed",
  cell: ({ series }) => series && seriesLine(series),
};

/** Each endpoint: requests, failures, times with their course over the run and their distribution. */
export function endpointTable({ endpoints, histograms }: Summary): Markup | undefined {
  const shapes = distributions(
    endpoints.map((_, i) => decodeHistogram(histograms.endpoints[i] ?? "")),
  );
  const rows = endpoints.map((endpoint, i): Row => ({ ...endpoint, shape: shapes[i] }));
  return table(
    [
      { title: "Request", cell: name },
      { title: "Requests", cell: (row) => counted(row.count) },
      {
        title: "Failed",
        cell: ({ count, failed }) =>
          shared(count === 0 ? 0 : failed / count, failed > 0 ? "bad" : undefined),
      },
      ...(endpoints.some(({ series }) => series) ? [OVER_TIME] : []),
      { title: "Times", hint: "Faster left, slower right; one scale for all rows", cell: shape },
      ...trendColumns<Row>(
        ["avg", "med", "p(90)", "p(95)", "p(99)", "max"],
        ({ http_req_duration }) => http_req_duration,
      ),
      { title: "Received", cell: ({ bytes_received }) => sized(bytes_received) },
      { title: "Answers", hint: "By status", cell: ({ statuses }) => answers(statuses) },
    ],
    rows,
    {
      caption: "Endpoints",
      sortable: true,
      ...(rows.length >= MANY && { filter: "Filter endpoints" }),
    },
  );
}

function name({ name, scenario, group }: EndpointFigures): Markup {
  return html`<code>${name}</code> <small>${within(scenario, group)}</small>`;
}

function shape({ shape }: Row): Markup {
  return shape;
}

function answers(statuses: EndpointFigures["statuses"]): string {
  return Object.entries(statuses)
    .sort(([, a], [, b]) => b - a)
    .map(([status, n]) => `${status === "0" ? "none" : safeSnippet(status, 3)} ×${count(n)}`)
    .join(", ");
}
