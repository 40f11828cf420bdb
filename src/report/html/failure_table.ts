import type { ErrorStats, FailureStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { plural } from "../../base/format.ts";
import { countCell, nameCell, type Section, shareCell, tableSection } from "../blocks.ts";
import { groupPath } from "../summary_words.ts";
import { requestTotals } from "../stats.ts";
import { lines, type Markup, markup } from "../markup.ts";

/** Maximum number of rows in a table that initially shows all its rows. */
const MAX_ROWS = 10;
/** Number of rows that a table with more than 10 rows shows at first. */
const FIRST_ROWS = 5;

type Row = FailureStats & { readonly index: number };
type Sample = NonNullable<FailureStats["sample"]>;

/**
 * Lists the failed requests by endpoint, status and kind of error, and sample requests with their
 * responses.
 */
export function failureSection(summary: Summary): Section {
  const { failures = [], endpoints } = summary;
  const { count, unsent } = requestTotals(endpoints);
  const rows = failures.map((failure, index): Row => ({ ...failure, index }));
  const section = tableSection<Row>(
    "Failures",
    [
      {
        title: "Request",
        cell: ({ name, scenario, group }) => nameCell(name, groupPath(scenario, group)),
      },
      { title: "Status", cell: ({ status }) => status === 0 ? "none" : String(status) },
      { title: "Error", cell: ({ kind = "status" }) => kind },
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
      sortable: true,
      sortedBy: "Count",
      ...(rows.length > MAX_ROWS && { first: FIRST_ROWS }),
    },
  );
  const samples = rows.flatMap((row) =>
    row.sample === undefined ? [] : [sampleOf(row, row.sample)]
  );
  if (samples.length === 0) return section;
  const page = markup`
    <details class="samples">
      <summary>Show ${plural(samples.length, "sample request")} and the responses</summary>
      ${samples}
    </details>
  `;
  return { ...section, blocks: [...section.blocks, { page }] };
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
