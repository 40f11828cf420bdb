import type { EndpointStats, ErrorStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { hasRareEndpoints, RANK_RULE, slowestFirst } from "../slowest_endpoints.ts";
import { SHOWN_TIMES, statLabel } from "../shown_times.ts";
import { causesFirst, failedShare } from "../summary_stats.ts";
import { type Align, fit, fitMiddle, type Style, type TextCell, textTable } from "./layout.ts";
import { count, percent, time } from "../../base/format.ts";

/** Maximum number of endpoints in each table. */
const MAX_ROWS = 5;

/** Formats the slowest endpoints as a table, in the order of `slowestFirst`. */
export function slowestLines({ endpoints }: Summary, style: Style): string[] {
  const worst = slowestFirst(endpoints, p95).slice(0, MAX_ROWS);
  if (worst.length === 0) return [];
  const shown = SHOWN_TIMES.slowestEndpoints;
  const titles = ["", "requests", ...shown.map(statLabel)];
  const head = titles.map((title): TextCell => [title, style.faint]);
  const rows = worst.map((endpoint) => [
    fitMiddle(nameAmong(endpoint, endpoints), style.width),
    count(endpoint.count),
    ...shown.map((key) => time(endpoint.http_req_duration[key])),
  ]);
  const numbers = titles.slice(1).map((): Align => "right");
  const table = textTable(["name", ...numbers], [head, ...rows], style.width);
  return hasRareEndpoints(endpoints) ? [...table, style.faint(`  ${RANK_RULE}`)] : table;
}

/**
 * Formats the endpoints with the most failed requests as a table, with their most frequent
 * statuses. Endpoints whose requests failed after they were sent come first, because such failures
 * are often the reason why other requests could not be sent. If more endpoints have failed
 * requests, the last line states how many.
 */
export function failingLines({ endpoints }: Summary, style: Style): string[] {
  const failing = endpoints.filter(({ failed }) => failed > 0);
  const worst = failing
    .toSorted((a, b) => failedAfterSending(b) - failedAfterSending(a) || b.failed - a.failed)
    .slice(0, MAX_ROWS);
  if (worst.length === 0) return [];
  const hasUnsent = worst.some(({ unsent = 0 }) => unsent > 0);
  const titles = ["", "sent", ...(hasUnsent ? ["not sent"] : []), "failed", "responses"];
  const head = titles.map((text): TextCell => [text, style.faint]);
  const rows = worst.map((endpoint): TextCell[] => [
    fitMiddle(nameAmong(endpoint, endpoints), style.width),
    count(endpoint.count),
    ...(hasUnsent ? [count(endpoint.unsent ?? 0)] : []),
    [percent(failedShare(endpoint)), style.bad],
    statuses(endpoint),
  ]);
  const numbers = titles.slice(1, -1).map((): Align => "right");
  const table = textTable(["name", ...numbers, "left"], [head, ...rows], style.width);
  const more = failing.length - worst.length;
  return more === 0 ? table : [...table, style.faint(`  and ${count(more)} more`)];
}

function failedAfterSending({ failed, unsent = 0 }: EndpointStats): number {
  return failed - unsent;
}

/**
 * Returns the name of an endpoint, prefixed with its scenario if another scenario has an endpoint
 * with the same name.
 */
function nameAmong({ name, scenario }: EndpointStats, all: readonly EndpointStats[]): string {
  const isOnly = all.every((other) => other.name !== name || other.scenario === scenario);
  return isOnly ? name : `${scenario}: ${name}`;
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
export function errorLines({ errors }: Summary, style: Style): string[] {
  const kinds = [...Map.groupBy(errors, ({ kind }) => kind).values()];
  const ranked = kinds.sort((a, b) => total(b) - total(a)).flat();
  return [...Map.groupBy(causesFirst(ranked), ({ kind }) => kind).values()].flatMap((faults) => {
    const [{ kind, name, message }] = faults;
    const others = faults.length > 1 ? ` and ${faults.length - 1} more` : "";
    const where = fit(name, style.width - 40) + others;
    return [
      `  ${style.bad(`${fit(kind, 20)} ×${count(total(faults))}`)}  ${where}`,
      style.faint(`    ${fit(message, style.width - 4)}`),
    ];
  });
}

function total(faults: readonly ErrorStats[]): number {
  return faults.reduce((sum, { count }) => sum + count, 0);
}
