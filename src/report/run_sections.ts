import { count, plural } from "../base/format.ts";
import type { CheckData } from "../engine/metrics/snapshot.ts";
import type {
  CheckStats,
  ErrorStats,
  FailureStats,
  TrendStats,
} from "../engine/summary/flow_stats.ts";
import type { ScenarioSummary, Summary, ThresholdVerdict } from "../engine/summary/summary.ts";
import {
  type Cell,
  type Column,
  countCell,
  nameCell,
  NO_VALUE,
  type Section,
  shareCell,
  type Table,
  table,
  tableSection,
  timeCell,
} from "./blocks.ts";
import { lines, type Markup, markup } from "./markup.ts";
import {
  metricKind,
  metricNames,
  type RequestCounts,
  requestTotals,
  SHOWN_TIMES,
  statLabel,
  type TimeAggregation,
} from "./stats.ts";
import { describeValue, groupPath } from "./summary_words.ts";

export function thresholdSection({ thresholds }: Pick<Summary, "thresholds">): Section {
  return { title: "Thresholds", blocks: [thresholdTable(thresholds)] };
}

/** Lists thresholds with their actual values and results. Failed thresholds come first. */
export function thresholdTable(thresholds: readonly ThresholdVerdict[]): Table {
  const rank = ({ passed }: ThresholdVerdict) => passed === false ? 0 : passed === null ? 1 : 2;
  return table(
    "Thresholds",
    [
      { title: "", only: "text", cell: (verdict) => resultCell(verdict, "") },
      { title: "Metric", long: "line", cell: ({ metric }) => nameCell(metric) },
      { title: "Threshold", long: "cut", cell: ({ expression }) => nameCell(expression) },
      {
        title: "Actual",
        cell: (verdict) => ({
          text: describeValue(verdict),
          ...(verdict.value !== null && { value: verdict.value }),
        }),
      },
      {
        title: "Result",
        only: "page",
        cell: (verdict) => {
          const { passed, aborted } = verdict;
          const word = passed === null ? "not evaluated" : passed ? "passed" : "failed";
          return resultCell(verdict, aborted ? " ended the run" : ` ${word}`);
        },
      },
    ],
    thresholds.toSorted((a, b) => rank(a) - rank(b)),
  );
}

function resultCell({ passed }: Pick<ThresholdVerdict, "passed">, word: string): Cell {
  if (passed === null) return { text: `?${word}`, tone: "faint" };
  return passed ? { text: `✓${word}`, tone: "good" } : { text: `✗${word}`, tone: "bad" };
}

/** Lists all trends that have samples above 0. */
export function trendSection({ metrics }: Pick<Summary, "metrics">): Section {
  const trends = metricNames(metrics).flatMap((name) => {
    const metric = metricKind(metrics[name]);
    return metric.kind === "trend" && metric.stats.max > 0 ? [{ name, stats: metric.stats }] : [];
  });
  return tableSection(
    "Times",
    [
      { title: "Metric", long: "line", cell: ({ name }) => nameCell(name) },
      { title: "Samples", only: "page", cell: ({ stats }) => countCell(stats.count) },
      ...trendColumns<typeof trends[number]>(SHOWN_TIMES.trends, ({ stats }) => stats),
    ],
    trends,
  );
}

/** Aggregations that tables in text omit, so that they fit into 80 columns. */
const ONLY_PAGE: readonly string[] = ["min", "p(99.9)"];

export function trendColumns<Row>(
  keys: readonly TimeAggregation[],
  of: (row: Row) => TrendStats,
): Column<Row>[] {
  return keys.map((key) => ({
    title: statLabel(key),
    ...(ONLY_PAGE.includes(key) && { only: "page" }),
    cell: (row) => timeCell(of(row)[key]),
  }));
}

const MAX_CHECKS = 20;

export function checkSection(checks: readonly CheckData[]): Section {
  const several = new Set(checks.map(({ scenario }) => scenario)).size > 1;
  const rest = checks.slice(MAX_CHECKS);
  return tableSection<CheckData>(
    "Checks",
    [
      {
        title: "",
        only: "text",
        cell: (check) =>
          isIdle(check)
            ? { text: "–", tone: "faint" }
            : resultCell({ passed: check.fails === 0 }, ""),
      },
      {
        title: "Check",
        long: "line",
        cell: ({ name, request, scenario, group }) => ({
          text: [groupPath(several ? scenario : "", group), request, name].filter(Boolean)
            .join(" › "),
          page: markup`${name}`,
        }),
      },
      { title: "Request", only: "page", cell: ({ request }) => request },
      { title: "In", only: "page", cell: ({ scenario, group }) => groupPath(scenario, group) },
      { title: "Passed", cell: ({ passes }) => countCell(passes) },
      { title: "Failed", cell: ({ fails }) => countCell(fails, fails > 0 ? "bad" : undefined) },
      {
        title: "Pass rate",
        cell: (check) =>
          isIdle(check)
            ? { text: "not evaluated", value: -1, tone: "faint" }
            : shareCell(check.passes / (check.passes + check.fails)),
      },
    ],
    checks,
    {
      sortable: true,
      ...(rest.length > 0 && {
        first: MAX_CHECKS,
        rest: `and ${plural(rest.length, "more check")}: ${describeResults(rest)}`,
      }),
    },
  );
}

const isIdle = ({ passes, fails }: Pick<CheckData, "passes" | "fails">) => passes + fails === 0;

function describeResults(checks: readonly CheckData[]): string {
  const failed = checks.filter(({ fails }) => fails > 0).length;
  const idle = checks.filter(isIdle).length;
  return [
    failed > 0 ? `${count(failed)} failed` : "",
    idle > 0 ? `${count(idle)} not evaluated` : "",
    checks.length > failed + idle ? `${count(checks.length - failed - idle)} passed` : "",
  ].filter(Boolean).join(", ");
}

export function rankChecks(checks: readonly CheckStats[]): CheckData[] {
  const rank = (check: CheckData) => check.fails > 0 ? 0 : isIdle(check) ? 1 : 2;
  return checks.flatMap(({ requests, ...check }): CheckData[] => {
    const failed = requests.filter(({ fails }) => fails > 0);
    if (failed.length === 0) return [{ ...check, request: "" }];
    const rows = failed.map(({ name, ...counts }) => ({ ...check, ...counts, request: name }));
    const others = requests.length - failed.length;
    if (others === 0) return rows;
    const passes = check.passes - failed.reduce((sum, { passes }) => sum + passes, 0);
    return [...rows, { ...check, passes, fails: 0, request: plural(others, "other request") }];
  }).sort((a, b) => rank(a) - rank(b));
}

/** Lists the iterations and start delays of each scenario. */
export function scenarioSection({ scenarios }: Pick<Summary, "scenarios">): Section {
  return tableSection<ScenarioSummary>(
    "Scenarios",
    [
      { title: "Scenario", long: "cut", cell: ({ name }) => name },
      { title: "Executor", long: "cut", cell: ({ executor }) => executor },
      { title: "Iterations", cell: ({ iterations }) => countCell(iterations) },
      {
        title: "Cut off",
        hint: "Iterations that were still running when the graceful stop expired",
        isShown: (rows) => rows.some(({ interrupted }) => interrupted > 0),
        cell: ({ interrupted }) => countCell(interrupted),
      },
      {
        title: "Dropped",
        hint: "Planned iterations that did not start",
        cell: ({ dropped }) => countCell(dropped, dropped > 0 ? "bad" : undefined),
      },
      {
        title: "Max VUs",
        cell: ({ max_vus, unstarted_vus = 0 }) => countCell(max_vus - unstarted_vus),
      },
      ...SHOWN_TIMES.startDelay.map((key): Column<ScenarioSummary> => ({
        title: `Delay ${statLabel(key)}`,
        hint: "Time between the scheduled and the actual start of an iteration",
        ...(key !== "p(99)" && { only: "page" }),
        isShown: (rows) => rows.some(({ schedule_lag_us }) => schedule_lag_us !== null),
        cell: ({ schedule_lag_us: lag }) => lag === null ? NO_VALUE : timeCell(lag[key] / 1_000),
      })),
    ],
    scenarios,
  );
}

/**
 * Returns the errors with those of unsent requests last, because such errors are often consequences
 * of the others. Otherwise, keeps the order.
 */
function causesFirst<Failed extends Partial<Pick<ErrorStats, "kind">>>(
  errors: readonly Failed[],
): Failed[] {
  const isUnsent = ({ kind }: Failed) => kind === "template";
  return errors.toSorted((a, b) => Number(isUnsent(a)) - Number(isUnsent(b)));
}

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
