import { count, formatNumber, percent, perSecond, plural, time } from "../base/format.ts";
import type { CheckStats } from "../engine/summary/flow_stats.ts";
import type { RunEnvironment, Summary, ThresholdVerdict } from "../engine/summary/summary.ts";
import type { Ending } from "../engine/summary/codes.ts";
import { type MetricKind, METRICS } from "../plan/text/metrics.ts";

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

/** Maximum number of requests to list for a failed check. */
const MAX_REQUESTS = 5;

/**
 * Describes how often a check failed, and in which requests, such as
 * `failed 3 of 20 times: GET /a (3 of 10)`. Contains the names of requests, which are not escaped.
 */
export function checkFailure({ passes, fails, requests = [] }: CheckStats): string {
  const failed = requests.filter(({ fails }) => fails > 0);
  const listed = failed.slice(0, MAX_REQUESTS).map(({ name, passes, fails }) =>
    `${name} (${count(fails)} of ${count(passes + fails)})`
  );
  const rest = failed.length - listed.length;
  const where = [...listed, ...rest > 0 ? [plural(rest, "more request")] : []].join(", ");
  const often = `failed ${count(fails)} of ${plural(passes + fails, "time")}`;
  return where === "" ? often : `${often}: ${where}`;
}

/**
 * Describes how a request failed: `500`, `timeout`, or `200, assert`. A status of 0 means that
 * there was no response.
 */
export function describeFailure(status: number, kind: string | undefined): string {
  return [...(status > 0 ? [String(status)] : []), ...(kind === undefined ? [] : [kind])].join(
    ", ",
  );
}

/**
 * Describes the actual value of a threshold in the unit of its metric, and whether the threshold
 * ended the run. Contains no recorded text.
 */
export function describeValue(verdict: ThresholdVerdict): string {
  if (verdict.passed === null) return "not evaluated";
  return verdict.aborted ? `${actual(verdict)}, ended the run` : actual(verdict);
}

/**
 * Formats the actual value of a threshold in the unit of its metric. Returns `no samples` if no
 * sample matched the selector.
 */
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
