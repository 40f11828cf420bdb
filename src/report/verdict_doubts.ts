import { formatThousands, percent, plural } from "../base/format.ts";
import { shortfalls } from "../engine/summary/verdict.ts";
import type { Summary } from "../engine/summary/summary.ts";

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
