import { count, plural } from "../../base/format.ts";
import type { CheckStats, EndpointStats, ErrorStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import {
  type Block,
  type Cell,
  type Column,
  countCell,
  shareCell,
  type Table,
  table,
  timeCell,
  type Tone,
} from "../blocks.ts";
import {
  causesFirst,
  failedShare,
  hasRareEndpoints,
  RANK_RULE,
  SHOWN_TIMES,
  slowestFirst,
  statLabel,
} from "../stats.ts";
import { describeValue, groupPath } from "../summary_words.ts";
import { fit, type Style } from "./print_blocks.ts";

/** Lists the thresholds with their results, expressions and actual values. */
export function thresholdTable(
  thresholds: readonly ThresholdVerdict[],
  width: number,
  long: "cut" | "line" = "line",
): Table {
  return table(
    "Thresholds",
    [
      { title: "", cell: resultMark },
      { title: "", long, cell: ({ metric }) => metric },
      { title: "", cell: ({ expression }) => fit(expression, width / 4) },
      { title: "", cell: describeValue },
    ],
    thresholds,
  );
}

function resultMark(
  { passed }: Pick<ThresholdVerdict, "passed">,
): Cell & { readonly tone: Tone } {
  if (passed === null) return { text: "?", tone: "faint" };
  return passed ? { text: "✓", tone: "good" } : { text: "✗", tone: "bad" };
}

/** Maximum number of checks in the table. */
const MAX_CHECKS = 20;

/** Row of the table of checks: the name of a check with its path, and its results. */
interface CheckRow {
  readonly label: string;
  readonly passes: number;
  readonly fails: number;
}

/**
 * Lists the pass rate, passes and failures of each check. Failed checks come first. A failed check
 * has a row for each request in which it failed, and one for all other requests.
 */
export function checkBlocks({ checks }: Summary): Block[] {
  const several = new Set(checks.map(({ scenario }) => scenario)).size > 1;
  const all = checks.flatMap((check) => checkRows(check, several));
  const ranked = [
    ...all.filter(({ fails }) => fails > 0),
    ...all.filter(isIdle),
    ...all.filter(({ passes, fails }) => passes > 0 && fails === 0),
  ];
  const rest = ranked.slice(MAX_CHECKS);
  return [table(
    "Checks",
    [
      { title: "", cell: checkMark },
      { title: "", long: "line", cell: ({ label }) => label },
      {
        title: "",
        cell: (check) =>
          isIdle(check) ? "not evaluated" : shareCell(check.passes / (check.passes + check.fails)),
      },
      { title: "", cell: (check) => isIdle(check) ? "" : marked("✓", check.passes) },
      { title: "", cell: ({ fails }) => fails > 0 ? marked("✗", fails, "bad") : "" },
    ],
    ranked,
    {
      first: MAX_CHECKS,
      rest: `and ${plural(rest.length, "more check")}: ${describeResults(rest)}`,
    },
  )];
}

const isIdle = ({ passes, fails }: CheckRow) => passes + fails === 0;

function checkMark(check: CheckRow): Cell {
  return isIdle(check) ? { text: "–", tone: "faint" } : resultMark({ passed: check.fails === 0 });
}

function marked(mark: string, n: number, tone?: Tone): Cell {
  return { text: `${mark} ${count(n)}`, value: n, tone };
}

function describeResults(checks: readonly CheckRow[]): string {
  const failed = checks.filter(({ fails }) => fails > 0).length;
  const idle = checks.filter(isIdle).length;
  return [
    failed > 0 ? `${count(failed)} failed` : "",
    idle > 0 ? `${count(idle)} not evaluated` : "",
    checks.length > failed + idle ? `${count(checks.length - failed - idle)} passed` : "",
  ].filter(Boolean).join(", ");
}

/**
 * Returns a row for each request in which a check failed, and one row for all other requests. The
 * labels contain the groups of the check and, if `several` is true, its scenario.
 */
function checkRows({ scenario, group, name, ...check }: CheckStats, several: boolean): CheckRow[] {
  const path = groupPath(several ? scenario : "", group);
  const label = (...names: readonly string[]) => [path, ...names].filter(Boolean).join(" › ");
  const { passes, fails, requests = [] } = check;
  const failed = requests.filter(({ fails }) => fails > 0);
  if (failed.length === 0) return [{ label: label(name), passes, fails }];
  const rows = failed.map((request) => ({ ...request, label: label(request.name, name) }));
  const others = requests.length - failed.length;
  if (others === 0) return rows;
  const passed = passes - failed.reduce((sum, { passes }) => sum + passes, 0);
  const rest = `${name} (${plural(others, "other request")})`;
  return [...rows, { label: label(rest), passes: passed, fails: 0 }];
}

/** Maximum number of endpoints in each table. */
const MAX_ROWS = 5;

/** Lists the slowest endpoints, in the order of `slowestFirst`. */
export function slowestBlocks({ endpoints }: Summary, style: Style): Block[] {
  const worst = slowestFirst(endpoints, p95).slice(0, MAX_ROWS);
  const slowest = table("Slowest endpoints", [
    nameColumn(endpoints),
    { title: "requests", cell: ({ count }) => countCell(count) },
    ...SHOWN_TIMES.slowestEndpoints.map((key): Column<EndpointStats> => ({
      title: statLabel(key),
      cell: ({ http_req_duration }) => timeCell(http_req_duration[key]),
    })),
  ], worst);
  return hasRareEndpoints(endpoints)
    ? [slowest, { lines: [style.faint(`  ${RANK_RULE}`)] }]
    : [slowest];
}

/**
 * Lists the endpoints with the most failed requests, with their most frequent statuses. Endpoints
 * whose requests failed after they were sent come first, because such failures are often the reason
 * why other requests could not be sent.
 */
export function failingBlocks({ endpoints }: Summary): Block[] {
  const failing = endpoints.filter(({ failed }) => failed > 0)
    .toSorted((a, b) => failedAfterSending(b) - failedAfterSending(a) || b.failed - a.failed);
  return [table(
    "Failed requests",
    [
      nameColumn(endpoints),
      { title: "sent", cell: ({ count }) => countCell(count) },
      {
        title: "not sent",
        cell: ({ unsent = 0 }) => countCell(unsent),
        isShown: (rows) => rows.slice(0, MAX_ROWS).some(({ unsent = 0 }) => unsent > 0),
      },
      { title: "failed", cell: (endpoint) => shareCell(failedShare(endpoint), "bad") },
      { title: "responses", cell: statuses },
    ],
    failing,
    { first: MAX_ROWS, rest: `and ${count(failing.length - MAX_ROWS)} more` },
  )];
}

/**
 * Shows the name of an endpoint, prefixed with its scenario if another scenario has an endpoint
 * with the same name.
 */
function nameColumn(all: readonly EndpointStats[]): Column<EndpointStats> {
  return {
    title: "",
    long: "line",
    cell: ({ name, scenario }) =>
      all.every((other) => other.name !== name || other.scenario === scenario)
        ? name
        : `${scenario}: ${name}`,
  };
}

function failedAfterSending({ failed, unsent = 0 }: EndpointStats): number {
  return failed - unsent;
}

function p95({ http_req_duration }: EndpointStats): number {
  return http_req_duration["p(95)"];
}

/**
 * Formats the two most frequent statuses of failed requests, such as `500 ×12, no response ×3`.
 * Includes statuses below 400 only if requests failed despite such a status.
 */
function statuses({ statuses, failed }: EndpointStats): string {
  const all = Object.entries(statuses).sort(([, a], [, b]) => b - a);
  const bad = all.filter(([status]) => isBad(status));
  const good = all.filter(([status]) => !isBad(status));
  // A request with a status below 400 fails if an extraction or assertion fails.
  const isWhole = bad.reduce((sum, [, n]) => sum + n, 0) >= failed;
  return (isWhole ? bad : [...bad, ...good])
    .slice(0, 2)
    .map(([status, n]) => `${status === "0" ? "no response" : fit(status, 3)} ×${count(n)}`)
    .join(", ");
}

function isBad(status: string): boolean {
  return status === "0" || !(Number(status) < 400);
}

/**
 * Formats the errors by kind, most frequent first, and those of unsent requests last. For each
 * kind, shows the request with the most errors and the first message of that request.
 */
export function errorBlocks({ errors }: Summary, style: Style): Block[] {
  const kinds = [...Map.groupBy(errors, ({ kind }) => kind).values()];
  const ranked = kinds.sort((a, b) => total(b) - total(a)).flat();
  const lines = [...Map.groupBy(causesFirst(ranked), ({ kind }) => kind).values()].flatMap(
    (faults) => {
      const [{ kind, name, message }] = faults;
      const others = faults.length > 1 ? ` and ${faults.length - 1} more` : "";
      const where = fit(name, style.width - 40) + others;
      return [
        `  ${style.bad(`${fit(kind, 20)} ×${count(total(faults))}`)}  ${where}`,
        style.faint(`    ${fit(message, style.width - 4)}`),
      ];
    },
  );
  return [{ lines }];
}

function total(faults: readonly ErrorStats[]): number {
  return faults.reduce((sum, { count }) => sum + count, 0);
}
