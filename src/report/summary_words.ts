import {
  bytes,
  count,
  formatNumber,
  formatThousands,
  percent,
  perSecond,
  plural,
  time,
} from "../base/format.ts";
import type { Ending } from "../engine/summary/codes.ts";
import type { MetricStats } from "../engine/summary/flow_stats.ts";
import type { RunEnvironment, Summary, ThresholdVerdict } from "../engine/summary/summary.ts";
import { shortfalls } from "../engine/summary/verdict.ts";
import { type MetricKind, METRICS } from "../plan/text/metrics.ts";
import { countCell, type NumberCell, shareCell, sizeCell } from "./blocks.ts";
import { metricKind } from "./stats.ts";

/** Words for each way a run can end, printed before the duration of the run. */
export const ENDING_WORDS: Readonly<Record<Ending, string>> = {
  finished: "ran",
  interrupted: "interrupted after",
  threshold: "ended by a threshold after",
  assertion: "ended by an assertion after",
  lost: "lost after",
};

/**
 * Lists the targets, plan, version, machine and options of a run as nonempty strings. They contain
 * recorded text, which is not escaped.
 */
export function environmentParts(environment: RunEnvironment): string[] {
  const { targets, plan, version, options, cores, workers } = environment;
  return [
    targets.join(", "),
    plan === "-" ? "plan from standard input" : plan,
    `rehearse ${version}`,
    `${plural(workers, "worker")} on ${plural(cores, "core")}`,
    options.join(" "),
  ].filter(Boolean);
}

/** Formats a scenario and its groups as a path: `browse › shop › cart`. */
export function groupPath(scenario: string, group: string): string {
  return [scenario, ...group.split("::")].filter(Boolean).join(" › ");
}

/**
 * Describes the actual value of a threshold in the unit of its metric, and whether the threshold
 * ended the run. Contains no recorded text.
 */
export function describeValue(verdict: ThresholdVerdict): string {
  if (verdict.passed === null) return "not evaluated";
  return verdict.aborted ? `${actual(verdict)}, ended the run` : actual(verdict);
}

function actual({ metric, expression, value }: ThresholdVerdict): string {
  const [aggregation] = /^\s*(?:p\([^)]*\)|\w+)/.exec(expression) ?? [""];
  const kind = METRICS.get(metric.replace(/\{.*$/s, ""));
  return value === null ? "no samples" : inUnit(value, aggregation.trim(), kind);
}

/**
 * Describes why a threshold failed, such as `expected p(95)<150ms, got 152ms`. Contains the
 * expression from the plan, which is not escaped.
 */
export function failureReason(verdict: ThresholdVerdict): string {
  const why = verdict.value === null
    ? "got no samples: the selector matched nothing"
    : `got ${actual(verdict)}`;
  const end = verdict.aborted ? "; it ended the run" : "";
  return `expected ${verdict.expression}, ${why}${end}`;
}

function inUnit(value: number, aggregation: string, kind: MetricKind | undefined): string {
  if (aggregation === "count" || kind === undefined) return formatNumber(value);
  if (kind === "trend") return time(value);
  if (kind === "rate") return percent(value);
  return aggregation === "rate" ? perSecond(value) : formatNumber(value);
}

/** Formats an ISO 8601 timestamp, which must be in UTC, as `2026-01-31 12:00:00 UTC`. */
export function formatTime(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*$/, "$1 $2 UTC");
}

/** Returns the color and the text for the verdict of a run, such as `✓ Passed`. */
export function thresholdCounts(
  { thresholds, ending, passed, accepted, incomplete }: Summary,
): ["good" | "bad" | "", string] {
  if (passed === false) return ["bad", "✗ Failed"];
  if (passed) return ["good", "✓ Passed"];
  if (incomplete) return ["bad", "✗ Incomplete"];
  if (accepted.length > 0) return ["", "Incomplete"];
  if (ending === "interrupted") return ["", "Interrupted"];
  return thresholds.length > 0 ? ["", "Not evaluated"] : ["", "Done"];
}

/**
 * Returns the reasons why a run proves little, although it passed or had no thresholds. The verdict
 * lists them. Returns an empty list for a run that failed or is incomplete. The reasons are:
 *
 * - the run did less than planned, and `--allow incomplete` accepts this
 * - most requests failed, and there is no threshold on `http_req_failed`
 * - most WebSocket sessions failed, and there is no threshold on `ws_session_failed`
 * - checks failed, and there are no thresholds
 * - the plan replays a recording, but checks no response
 * - the thresholds were evaluated on a single request
 */
export function verdictDoubts(summary: Summary): string[] {
  const { endpoints, thresholds, passed, ending, accepted, incomplete } = summary;
  if (passed === false || ending !== "finished" || accepted.length > 0) return [];
  const sent = endpoints.reduce((sum, { count }) => sum + count, 0);
  // Requests that could not be sent count as failed.
  const requests = endpoints.reduce((sum, { unsent = 0 }) => sum + unsent, sent);
  const failed = endpoints.reduce((sum, { failed }) => sum + failed, 0);
  const isJudged = thresholds.some(({ metric }) => metric.startsWith("http_req_failed"));
  return [
    ...(incomplete === undefined ? shortfalls(summary) : []),
    ...(failed > requests / 2 && !isJudged
      ? [
        `${formatThousands(failed)} of ${plural(requests, "request")} failed ` +
        `(${percent(failed / requests)})`,
      ]
      : []),
    ...socketDoubt(summary),
    ...checksDoubt(summary),
    ...(summary.unchecked ? ["the responses were not checked"] : []),
    ...(passed && sent === 1 ? ["from 1 request"] : []),
  ];
}

function checksDoubt({ checks, thresholds }: Summary): string[] {
  const failed = checks.reduce((sum, { fails }) => sum + fails, 0);
  if (failed === 0 || thresholds.length > 0) return [];
  const all = checks.reduce((sum, { passes, fails }) => sum + passes + fails, 0);
  return [
    `${formatThousands(failed)} of ${plural(all, "check")} failed (${percent(failed / all)})`,
  ];
}

function socketDoubt({ metrics: { ws_session_failed: stats }, thresholds }: Summary): string[] {
  const isJudged = thresholds.some(({ metric }) => metric.startsWith("ws_session_failed"));
  if (isJudged || stats === undefined || !("passes" in stats) || stats.value <= 0.5) return [];
  const { passes: failed, fails, value } = stats;
  return [
    `${formatThousands(failed)} of ${plural(failed + fails, "WebSocket session")} failed ` +
    `(${percent(value)})`,
  ];
}

/**
 * Returns the reasons why a summary is incomplete: it covers only one shard, the run was
 * interrupted or did less than planned, or `merge --allow` accepted flaws. Returns an empty list
 * for a complete run.
 */
export function incompleteness(summary: Summary): string[] {
  const { shards, accepted, ending, incomplete = [] } = summary;
  if (accepted.length > 0) return [...accepted.map(({ message }) => message), ...incomplete];
  const isShard = shards.length === 1 && shards[0].shard !== "1/1";
  return [
    ...(isShard
      ? [`shard ${shards[0].shard} only: run \`rehearse merge\` to evaluate all shards`]
      : []),
    ...(ending === "interrupted" ? ["interrupted"] : []),
    ...incomplete,
  ];
}

/**
 * Gauges whose maximum is shown first. For all other gauges, it is the last value. The last value
 * of `vus` says little: at the end of a run, most VUs have stopped.
 */
const PEAKS: ReadonlySet<string> = new Set(["vus", "vus_max"]);

/** Metrics of which any value above 0 is bad, and rates whose failures are. */
const BAD: ReadonlySet<string> = new Set(["http_req_failed", "dropped_iterations"]);

/**
 * Returns the value of a metric and a detail, such as its rate, in the same way as k6. Returns
 * undefined for trends and for metrics without samples.
 */
export function metricTotal(
  name: string,
  metric: MetricStats,
): { readonly cell: NumberCell; readonly detail: string } | undefined {
  const { kind, stats } = metricKind(metric);
  const tone = (isBad: boolean) => isBad ? "bad" as const : undefined;
  if (kind === "trend") return undefined;
  if (kind === "gauge") {
    const { value, min, max } = stats;
    return PEAKS.has(name)
      ? { cell: countCell(max), detail: `max; min=${count(min)}, last=${count(value)}` }
      : { cell: countCell(value), detail: `last; min=${count(min)}, max=${count(max)}` };
  }
  if (kind === "rate") {
    const { value, passes, fails } = stats;
    if (passes + fails === 0) return undefined;
    const isBad = BAD.has(name) ? passes > 0 : name === "checks" && fails > 0;
    const detail = `${count(passes)} of ${count(passes + fails)}`;
    return { cell: shareCell(value, tone(isBad)), detail };
  }
  const { count: n, rate } = stats;
  if (name === "dropped_iterations" && n === 0) return undefined;
  return name.startsWith("data_")
    ? { cell: sizeCell(n), detail: `${bytes(rate)}/s` }
    : { cell: countCell(n, tone(BAD.has(name))), detail: perSecond(rate) };
}
