import { formatThousands, percent, plural } from "../base/format.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { lateVusWarning } from "./run_warnings.ts";

/**
 * Returns the reasons why a run proves little, although it passed or had no thresholds. The verdict
 * lists them. Returns an empty list for a run that failed or is incomplete. The reasons are:
 *
 * - the run did not generate the scheduled load
 * - most requests failed, and there is no threshold on `http_req_failed`
 * - most WebSocket sessions failed, and there is no threshold on `ws_session_failed`
 * - checks failed, and there are no thresholds
 * - the plan replays a recording, but checks no response
 * - the thresholds were evaluated on a single request
 */
export function verdictDoubts(summary: Summary): string[] {
  const { scenarios, endpoints, thresholds, passed, ending, accepted } = summary;
  if (passed === false || ending !== "finished" || accepted.length > 0) return [];
  const busy = scenarios.filter(({ dropped }) => dropped > 0);
  const started = busy.reduce((sum, { iterations: n, interrupted }) => sum + n + interrupted, 0);
  const scheduled = busy.reduce((sum, { dropped }) => sum + dropped, started);
  const late = scenarios.filter((scenario) =>
    (scenario.unstarted_vus ?? 0) > 0 && lateVusWarning(scenario, summary).length > 0
  );
  const vus = late.reduce((sum, { max_vus }) => sum + max_vus, 0);
  const unstarted = late.reduce((sum, { unstarted_vus = 0 }) => sum + unstarted_vus, 0);
  const sent = endpoints.reduce((sum, { count }) => sum + count, 0);
  // Requests that could not be sent count as failed.
  const requests = endpoints.reduce((sum, { unsent = 0 }) => sum + unsent, sent);
  const failed = endpoints.reduce((sum, { failed }) => sum + failed, 0);
  const isJudged = thresholds.some(({ metric }) => metric.startsWith("http_req_failed"));
  return [
    ...(scheduled === 0 ? [] : [
      `only ${formatThousands(started)} of ${plural(scheduled, "scheduled iteration")} started ` +
      `(${percent(started / scheduled)})`,
    ]),
    ...(vus === 0
      ? []
      : [`only ${formatThousands(vus - unstarted)} of ${plural(vus, "VU")} started`]),
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

/** Returns a reason to doubt the verdict if checks failed and there are no thresholds. */
function checksDoubt({ checks, thresholds }: Summary): string[] {
  const failed = checks.reduce((sum, { fails }) => sum + fails, 0);
  if (failed === 0 || thresholds.length > 0) return [];
  const all = checks.reduce((sum, { passes, fails }) => sum + passes + fails, 0);
  return [
    `${formatThousands(failed)} of ${plural(all, "check")} failed (${percent(failed / all)})`,
  ];
}

/**
 * Returns a reason to doubt the verdict if most WebSocket sessions failed and there is no threshold
 * on `ws_session_failed`. A session can fail although its request succeeded.
 */
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
 * interrupted, or `merge --allow` accepted flaws. Returns an empty list for a complete run.
 */
export function incompleteness({ shards, accepted, ending }: Summary): string[] {
  if (accepted.length > 0) return accepted.map(({ message }) => message);
  const isShard = shards.length === 1 && shards[0].shard !== "1/1";
  return [
    ...(isShard
      ? [`shard ${shards[0].shard} only: run \`rehearse merge\` to evaluate all shards`]
      : []),
    ...(ending === "interrupted" ? ["interrupted"] : []),
  ];
}
