import { plural } from "../base/format.ts";
import type { ErrorStats, FailureStats } from "../engine/summary/flow_stats.ts";
import type { Summary } from "../engine/summary/summary.ts";
import {
  type Column,
  countCell,
  nameCell,
  type Section,
  shareCell,
  tableSection,
} from "./blocks.ts";
import { lines, type Markup, markup } from "./markup.ts";
import { causesFirst, type RequestCounts, requestTotals } from "./stats.ts";
import { groupPath } from "./summary_words.ts";

/** Maximum number of rows in a table of failures or errors that initially shows all its rows. */
const MAX_ROWS = 10;
/** Number of rows that a longer one shows at first. */
const FIRST_ROWS = 5;

type FailureRow = FailureStats & { readonly index: number };
type Sample = NonNullable<FailureStats["sample"]>;

export function failureSection(
  { failures, endpoints }: Pick<Summary, "failures"> & {
    readonly endpoints: readonly RequestCounts[];
  },
): Section {
  const { count, unsent } = requestTotals(endpoints);
  const rows = causesFirst(failures).map((failure, index): FailureRow => ({ ...failure, index }));
  const section = tableSection<FailureRow>(
    "Failures",
    [
      {
        title: "Request",
        long: "line",
        cell: ({ name, scenario, group }) => nameCell(name, groupPath(scenario, group)),
      },
      {
        title: "Scenario",
        only: "text",
        long: "cut",
        isShown: (rows) => new Set(rows.map(({ scenario }) => scenario)).size > 1,
        cell: ({ scenario }) => scenario,
      },
      { title: "Status", cell: ({ status }) => status === 0 ? "none" : String(status) },
      { title: "Error", cell: ({ kind = "status" }) => kind },
      { title: "Count", cell: ({ count }) => countCell(count, "bad") },
      {
        title: "Share",
        hint: "Share of all requests in the run",
        cell: (failure) => shareCell(failure.count / Math.max(1, count + unsent)),
      },
      MESSAGE,
      {
        title: "Sample",
        only: "page",
        isShown: (rows) => rows.some(({ sample }) => sample !== undefined),
        cell: ({ sample, index }) =>
          sample && markup`<a href="#sample-${index}">request, response</a>`,
      },
    ],
    rows,
    { sortable: true, ...(rows.length > MAX_ROWS && { first: FIRST_ROWS }) },
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

const MESSAGE: Column<{ readonly message?: string }> = {
  title: "First message",
  long: "below",
  cell: ({ message }) => message,
};

function sampleOf({ index, name, status }: FailureRow, { request, response }: Sample): Markup {
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

export function errorSection({ errors, failures }: Pick<Summary, "errors" | "failures">): Section {
  const key = ({ kind, scenario, name }: Pick<FailureStats, "kind" | "scenario" | "name">) =>
    JSON.stringify([kind, scenario, name]);
  const known = new Set(failures.map(key));
  const rows = causesFirst(errors.filter((error) => !known.has(key(error))));
  return tableSection<ErrorStats>(
    "Errors",
    [
      { title: "Kind", long: "cut", cell: ({ kind }) => nameCell(kind) },
      { title: "Count", cell: ({ count }) => countCell(count, "bad") },
      { title: "Request", long: "cut", cell: ({ name }) => nameCell(name) },
      { title: "Scenario", only: "page", cell: ({ scenario }) => scenario },
      MESSAGE,
    ],
    rows,
    { sortable: true, ...(rows.length > MAX_ROWS && { first: FIRST_ROWS }) },
  );
}
