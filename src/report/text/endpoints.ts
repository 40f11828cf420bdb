import type { EndpointFigures, Summary } from "../../engine/summary.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { type Cell, table } from "./table.ts";
import { count, percent, time } from "./units.ts";

/** Endpoints named in one table. */
const WORST = 5;
/** What the columns beside the name take. */
const TIMES = 44;
const ANSWERS = 48;

/** The endpoints with the highest p(95), worst first. */
export function slowestLines({ endpoints }: Summary, style: Style): string[] {
  const worst = endpoints.filter(({ count }) => count > 0)
    .sort((a, b) => p95(b) - p95(a)).slice(0, WORST);
  if (worst.length === 0) return [];
  const head = ["", "requests", "med", "p(95)", "p(99)", "max"].map((t): Cell => [t, style.faint]);
  const rows = worst.map((endpoint) => {
    const { med, "p(95)": p95, "p(99)": p99, max } = endpoint.http_req_duration;
    return [
      fit(nameAmong(endpoint, endpoints), style.width - TIMES),
      count(endpoint.count),
      ...[med, p95, p99, max].map(time),
    ];
  });
  return table(["left", "right", "right", "right", "right", "right"], [head, ...rows]);
}

/** The endpoints with the most failed requests, and what came instead of a good answer. */
export function failingLines({ endpoints }: Summary, style: Style): string[] {
  const worst = endpoints.filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed).slice(0, WORST);
  if (worst.length === 0) return [];
  const head = ["", "requests", "failed", "answers"].map((text): Cell => [text, style.faint]);
  const rows = worst.map((endpoint): Cell[] => [
    fit(nameAmong(endpoint, endpoints), style.width - ANSWERS),
    count(endpoint.count),
    [percent(endpoint.failed / endpoint.count), style.bad],
    statuses(endpoint),
  ]);
  return table(["left", "right", "right", "left"], [head, ...rows]);
}

/** An endpoint's name, behind its scenario's where another scenario has one of that name. */
function nameAmong({ name, scenario }: EndpointFigures, all: readonly EndpointFigures[]): string {
  const isOnly = all.every((other) => other.name !== name || other.scenario === scenario);
  return isOnly ? name : `${scenario}: ${name}`;
}

function p95({ http_req_duration }: EndpointFigures): number {
  return http_req_duration["p(95)"];
}

/** The two most frequent bad ones, such as `500 ×12, no answer ×3`, then good ones that failed all the same. */
function statuses({ statuses, failed }: EndpointFigures): string {
  const all = Object.entries(statuses).sort(([, a], [, b]) => b - a);
  const bad = all.filter(([status]) => isBad(status));
  const good = all.filter(([status]) => !isBad(status));
  // An extraction or assertion can fail a request whose answer is good.
  const isWhole = bad.reduce((sum, [, n]) => sum + n, 0) >= failed;
  return (isWhole ? bad : [...bad, ...good])
    .slice(0, 2)
    .map(([status, n]) => `${status === "0" ? "no answer" : fit(status, 3)} ×${count(n)}`)
    .join(", ");
}

function isBad(status: string): boolean {
  return status === "0" || !(Number(status) < 400);
}
