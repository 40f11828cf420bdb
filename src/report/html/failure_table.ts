import type { ErrorStats, FailureStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { plural } from "../../base/format.ts";
import { groupPath } from "../summary_words.ts";
import { requestTotals } from "../summary_stats.ts";
import { lines, type Markup, markup } from "./markup.ts";
import { countCell, htmlTable, shareCell } from "./html_table.ts";

/** Maximum number of rows in a table that initially shows all its rows. */
const MAX_ROWS = 10;
/** Number of rows that a table with more than 10 rows shows at first. */
const FIRST_ROWS = 5;

type Row = FailureStats & { readonly index: number };
type Sample = NonNullable<FailureStats["sample"]>;

/**
 * Creates a table of the failed requests by endpoint, status and kind of error, and a list of
 * sample requests with their responses. Returns undefined if no request failed or the failures are
 * unknown.
 */
export function failureSection(summary: Summary): Markup | undefined {
  const { failures = [], endpoints } = summary;
  const { count, unsent } = requestTotals(endpoints);
  const rows = failures.map((failure, index): Row => ({ ...failure, index }));
  const table = htmlTable<Row>(
    [
      {
        title: "Request",
        cell: ({ name, scenario, group }) =>
          markup`<code>${name}</code> <small>${groupPath(scenario, group)}</small>`,
      },
      { title: "Status", cell: ({ status }) => status === 0 ? "none" : String(status) },
      { title: "Error", cell: ({ kind }) => kind === undefined ? "status" : kind },
      { title: "Count", cell: ({ count }) => countCell(count) },
      {
        title: "Share",
        hint: "Share of all requests in the run",
        cell: (failure) => shareCell(failure.count / Math.max(1, count + unsent)),
      },
      { title: "First message", cell: ({ message }) => message },
      {
        title: "Sample",
        isShown: (rows) => rows.some(({ sample }) => sample !== undefined),
        cell: ({ sample, index }) =>
          sample && markup`<a href="#sample-${index}">request, response</a>`,
      },
    ],
    rows,
    {
      caption: "Failures",
      sortable: true,
      sortedBy: "Count",
      ...(rows.length > MAX_ROWS && { first: FIRST_ROWS }),
    },
  );
  const samples = rows.flatMap((row) =>
    row.sample === undefined ? [] : [sampleOf(row, row.sample)]
  );
  if (samples.length === 0) return table;
  return markup`
    ${table}
    <details class="samples">
      <summary>Show ${plural(samples.length, "sample request")} and the responses</summary>
      ${samples}
    </details>
  `;
}

function sampleOf({ index, name, status }: Row, { request, response }: Sample): Markup {
  return markup`
    <article id="sample-${index}">
      <h3><code>${name}</code> ${status === 0 ? "no response" : status}</h3>
      <div class="exchange">
        ${message(`${request.method} ${request.url}`, request)}
        ${
    response === undefined
      ? markup`<p class="faint">There was no response.</p>`
      : message(`Status ${response.status}`, response)
  }
      </div>
    </article>
  `;
}

function message(
  first: string,
  { headers, body }: { readonly headers: readonly string[]; readonly body?: string },
): Markup {
  const rest = [...headers, ...(body === undefined ? [] : ["", body])];
  return markup`<pre tabindex="0"><b>${first}</b>${lines(["", ...rest].join("\n"))}</pre>`;
}

/**
 * Returns the errors that are not counted as request failures, such as errors of steps that
 * send no request.
 */
export function otherErrors({ errors, failures }: Summary): readonly ErrorStats[] {
  if (failures === undefined) return errors;
  const key = ({ kind, scenario, name }: Pick<FailureStats, "kind" | "scenario" | "name">) =>
    JSON.stringify([kind, scenario, name]);
  const known = new Set(failures.map(key));
  return errors.filter((error) => !known.has(key(error)));
}
