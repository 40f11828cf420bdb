import type { EndpointStats, ErrorStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { hasRareEndpoints, RANK_RULE, slowestFirst } from "../slowest_endpoints.ts";
import { SHOWN_TIMES, statLabel } from "../shown_times.ts";
import { causesFirst, failedShare } from "../summary_stats.ts";
import { type Block, type Column, countCell, shareCell, table, timeCell } from "../blocks.ts";
import { fit, type Style } from "./print_blocks.ts";
import { count } from "../../base/format.ts";

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
