import { formatMs } from "../../base/format.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { isAborted } from "../../engine/summary/verdict.ts";
import { incompleteness } from "../verdict_doubts.ts";
import { ENDING_WORDS } from "../summary_words.ts";

/** Reports whether a run recorded requests, but none of them got a response. */
export function hasNoResponse({ failure, endpoints }: Summary): boolean {
  if (failure === "no request got a response") return true;
  const statuses = endpoints.map(({ statuses }) => statuses);
  // Summaries written by older versions have no `failure`.
  return statuses.some((of) => of["0"] > 0) &&
    statuses.every((of) => Object.keys(of).every((status) => status === "0"));
}

/** Reports whether a run recorded no requests. */
export function hasNoRequests({ endpoints }: Summary): boolean {
  return endpoints.every(({ count, unsent = 0 }) => count + unsent === 0);
}

/** Reports whether two summaries are copies of the same run. */
export function isSameRun(a: Summary, b: Summary): boolean {
  const identity = ({ started_at, duration_ms, seed, shards, metrics }: Summary) =>
    JSON.stringify([started_at, duration_ms, seed, shards, metrics]);
  return identity(a) === identity(b);
}

/**
 * Returns the reasons why a run covers less than its plan: it was aborted or interrupted, or only
 * some of its shards are known. Returns an empty list for a complete run. A run that did less than
 * planned covers its plan: a slow target causes this, and the comparison must show it.
 */
export function partialReasons({ incomplete: _, ...summary }: Summary): string[] {
  const { ending, duration_ms } = summary;
  return [
    ...incompleteness(summary),
    ...(isAborted(ending) || ending === "lost"
      ? [`${ENDING_WORDS[ending]} ${formatMs(duration_ms)}`]
      : []),
  ];
}

/** Reports whether two runs cover the same part of their plans. */
export function coverSamePart(a: Summary, b: Summary): boolean {
  const isPartial = [a, b].some((summary) => partialReasons(summary).length > 0);
  return !isPartial || isSameShard(a, b);
}

function isSameShard(a: Summary, b: Summary): boolean {
  return a.shards.length === 1 && b.shards.length === 1 &&
    a.shards[0].shard === b.shards[0].shard && a.shards[0].shard !== "1/1" &&
    a.ending === "finished" && b.ending === "finished" &&
    a.accepted.length === 0 && b.accepted.length === 0;
}
