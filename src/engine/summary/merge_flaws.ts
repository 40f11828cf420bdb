import { formatMs } from "../../base/format.ts";
import { formatShard, parseShard } from "../../plan/partition.ts";
import { isAborted } from "./verdict.ts";
import type { AcceptedFlaw, ShardRun, Summary } from "./summary.ts";
import type { MergeFlaw } from "./codes.ts";

/** Maximum time in milliseconds between the starts of shards that count as simultaneous. */
export const SIMULTANEOUS_MS = 1_000;

/** Maximum number of shards that a message lists. */
const MAX_LISTED = 10;

/**
 * Lists the reasons why a set of summaries does not form one complete run. `summaries` must contain
 * at least one summary, and all of them must specify the same number of shards (`n` in `i/n`).
 */
export function mergeFlaws(summaries: readonly Summary[]): AcceptedFlaw[] {
  const shards = summaries.flatMap((summary) => summary.shards);
  const apart = startsApartMs(shards);
  const found: Record<MergeFlaw, string | undefined> = {
    missing: some(missingShards(shards), "missing"),
    interrupted: some(ended(shards, ({ ending }) => ending === "interrupted"), "interrupted"),
    aborted: some(ended(shards, ({ ending }) => isAborted(ending)), "aborted"),
    lost: some(ended(shards, ({ ending }) => ending === "lost"), "lost"),
    shifted: apart > SIMULTANEOUS_MS
      ? `the shards started ${formatMs(apart)} apart, so they did not run at the same time`
      : undefined,
    "unknown-plan": shards.length > 1 && summaries.some(({ plan_hash }) => plan_hash === null)
      ? "the summary of a shard was written by a version of rehearse that does not record the plan " +
        "hash, so it is unknown whether all shards ran the same plan"
      : undefined,
  };
  return Object.entries(found).flatMap(([flaw, message]) =>
    message === undefined ? [] : [{ flaw: flaw as MergeFlaw, message }]
  );
}

/** Returns the time between the earliest and the latest start of the shards, in milliseconds. */
export function startsApartMs(shards: readonly ShardRun[]): number {
  const starts = shards.map(({ started_at }) => Date.parse(started_at));
  return Math.max(...starts) - Math.min(...starts);
}

function missingShards(shards: readonly ShardRun[]): string[] {
  const present = new Set(shards.map(({ shard }) => shard));
  const of = parseShard(shards[0].shard)?.of ?? 1;
  return Array.from({ length: of }, (_, index) => formatShard({ index, of }))
    .filter((shard) => !present.has(shard));
}

function ended(shards: readonly ShardRun[], has: (shard: ShardRun) => boolean): string[] {
  return shards.filter(has).map(({ shard }) => shard);
}

function some(shards: readonly string[], what: string): string | undefined {
  if (shards.length === 0) return undefined;
  const more = shards.length > MAX_LISTED ? ` and ${shards.length - MAX_LISTED} more` : "";
  return `${what}: ${shards.length === 1 ? "shard" : "shards"} ` +
    `${shards.slice(0, MAX_LISTED).join(", ")}${more}`;
}
