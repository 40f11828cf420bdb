import { plural } from "../../base/format.ts";
import type { ErrorStats, FailureStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { countCell, nameCell, type Section, shareCell, tableSection } from "../blocks.ts";
import { lines, type Markup, markup } from "../markup.ts";
import { type RequestCounts, requestTotals } from "../stats.ts";
import { groupPath } from "../summary_words.ts";
import type { Chart } from "../chart.ts";
import { document, sectionLinks } from "./print_html.ts";
import { endpointSection } from "./endpoint_table.ts";
import { correctedSamples, phaseMarks, runCharts } from "./run_charts.ts";
import { keyMetrics, leadSentence, runBanner, title } from "./run_head.ts";
import {
  checkSection,
  errorSection,
  groupSection,
  scenarioSection,
  thresholdSection,
  trendSection,
} from "./run_tables.ts";
import { secondsPerPoint, totalSeries } from "./series.ts";
import { latencyHeatMap } from "./svg_charts.ts";

/**
 * Creates a self-contained HTML report of a run. The report includes `plan`, the text of the plan,
 * if it is given.
 */
export async function runReport(summary: Summary, plan?: string): Promise<string> {
  const total = totalSeries(summary.endpoints);
  const { charts, ...data } = runCharts(summary, total);
  const [others, ofTime] = [
    charts.filter(isDistribution),
    charts.filter((c) => !isDistribution(c)),
  ];
  const heatMap = latencyHeatMap(total, summary.duration_ms);
  const sections: Section[] = [
    thresholdSection(summary),
    {
      title: "Over time",
      note: zoomNote(summary),
      blocks: [{ charts: ofTime, last: heatMap }],
    },
    endpointSection(summary, true),
    failureSection(summary),
    errorSection({ errors: otherErrors(summary) }),
    {
      title: "Distribution",
      note: CORRECTED[correctedSamples(summary)],
      blocks: [{ charts: others }],
    },
    ...references(summary, plan),
  ];
  const blocks = [
    { page: sectionLinks(sections) },
    runBanner(summary),
    { tiles: keyMetrics(summary) },
    { page: leadSentence(summary) },
    ...sections,
    { page: footer(summary) },
  ];
  return await document({ title: `${title(summary.name)}: rehearse`, blocks, data });
}

const isDistribution = ({ axis }: Chart) => axis === "percentiles";

function zoomNote(summary: Summary): string {
  const size = secondsPerPoint(summary.timeline);
  const points = size <= 1
    ? "One point per second."
    : `One point per ${size} seconds. Rates are averages, and percentiles are those of the slowest second.`;
  return `${points} Drag to zoom all charts, double-click to reset the zoom. Click a label to hide its ` +
    `line.${
      phaseMarks(summary).length > 0 ? " Dotted vertical lines are the planned phases." : ""
    }`;
}

const CORRECTED = {
  none: undefined,
  all:
    "Corrected latency starts at the scheduled start of an iteration, so it includes the time that " +
    "a request waited while the target stalled.",
  some:
    "Corrected latency exists only for the first request of each iteration in an open model. This " +
    "curve also covers other requests, so corrected latency is listed only under Times.",
};

/** Maximum number of endpoints for which the reference sections of a report are initially open. */
const MAX_ENDPOINTS = 50;
/**
 * Maximum number of metrics in the table of times. If there are more, its section is initially
 * collapsed.
 */
const MAX_TIMES = 8;

/**
 * Creates the reference sections, such as the groups and the checks. In a long report, they are
 * initially collapsed, because most readers rarely need them.
 */
function references(summary: Summary, plan: string | undefined): Section[] {
  const { endpoints, metrics } = summary;
  const isShort = endpoints.length <= MAX_ENDPOINTS;
  const times = Object.values(metrics).filter((stats) => "avg" in stats && stats.count > 0).length;
  const planText = plan === undefined ? undefined : markup`<pre tabindex="0">${lines(plan)}</pre>`;
  const fold = (section: Section, isOpen: boolean): Section => ({
    ...section,
    fold: isOpen ? "open" : "closed",
  });
  return [
    ...[groupSection, checkSection, scenarioSection].map((section) =>
      fold(section(summary), isShort)
    ),
    fold(trendSection(summary), isShort && times <= MAX_TIMES),
    fold({ title: "The plan", blocks: [{ page: planText }] }, false),
  ];
}

function footer({ environment, schema, plan_hash }: Summary): Markup {
  const parts = [
    environment && `rehearse ${environment.version}`,
    `summary format ${schema}`,
    `plan ${plan_hash.slice(0, 12)}`,
  ];
  return markup`<footer class="faint">${parts.filter(Boolean).join(" · ")}</footer>`;
}

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
export function failureSection(
  { failures = [], endpoints }: Pick<Summary, "failures"> & {
    readonly endpoints: readonly RequestCounts[];
  },
): Section {
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
