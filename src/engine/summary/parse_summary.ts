import * as z from "zod";
import { formatMs } from "../../base/format.ts";
import { releasedFile } from "../../base/release.ts";
import { formatShard, parseShard } from "../../plan/partition.ts";
import { type Ending, ENDINGS, type MergeFlaw } from "./codes.ts";
import {
  type AcceptedFlaw,
  type ShardRun,
  type Summary,
  summarySchema,
  type ThresholdVerdict,
} from "./summary.ts";
import { isAborted, runPassed } from "./verdict.ts";

/** Returns the summary's JSON Schema (draft 2020-12). */
export function summaryJsonSchema(): object {
  const $id = releasedFile("docs/summary.schema.json");
  return { $id, ...z.toJSONSchema(summarySchema), title: "Summary of a rehearse run" };
}

/**
 * Validates a summary of schema version 1 or 2 and returns it as version 2. If it is invalid,
 * returns the path of the first invalid key as `fault`.
 */
export function parseSummary(
  value: object & { readonly schema?: unknown },
): { readonly summary: Summary } | { readonly fault: readonly PropertyKey[] } {
  const current = value.schema === 1 ? fromVersion1(value) : { summary: value };
  if ("fault" in current) return current;
  const { data, error } = summarySchema.safeParse(current.summary);
  return data === undefined ? { fault: error.issues[0].path } : { summary: data };
}

/**
 * Schema of the version 1 keys that `fromVersion1` reads, because version 2 changed them or because
 * it adds keys that are computed from them.
 */
const changedKeys = z.looseObject({
  schema: z.literal(1),
  started_at: z.iso.datetime(),
  duration_ms: z.number().nonnegative(),
  ending: z.enum(ENDINGS),
  shares: z.array(z.string()).min(1),
  thresholds: z.array(z.looseObject({ passed: z.boolean(), aborted: z.boolean() })),
  timeline: z.array(z.looseObject({ asked: z.number() })),
});

/**
 * Converts a summary of schema version 1 to version 2, or returns the path of the first invalid
 * key. The keys that did not change are not validated. Version 1 recorded neither the plan hash nor
 * how each shard ended. It evaluated the thresholds of a shard on that shard's part of the load.
 */
function fromVersion1(
  value: unknown,
): { readonly summary: unknown } | { readonly fault: readonly PropertyKey[] } {
  const { data, error } = changedKeys.safeParse(value);
  if (data === undefined) return { fault: error.issues[0].path };
  const { shares, ...kept } = data;
  const { started_at, duration_ms } = kept;
  const ending: Ending = kept.ending;
  const shards = shares.map((shard) => ({ shard, started_at, duration_ms, ending }));
  const isOneShard = shares.length === 1 && shares[0] !== "1/1";
  const thresholds = kept.thresholds.map(({ passed, ...threshold }) => ({
    ...threshold,
    passed: isOneShard ? null : passed,
  })) as unknown as ThresholdVerdict[];
  const timeline = kept.timeline.map(({ asked, ...point }) => ({ ...point, scheduled: asked }));
  const added = { schema: 2, plan_hash: null, data_seed: null };
  const upgraded = { ...kept, ...added, shards, thresholds, timeline };
  const accepted = isOneShard ? [] : mergeFlaws([upgraded as unknown as Summary]);
  const passed = runPassed({ thresholds, ending, accepted });
  return { summary: { ...upgraded, accepted, passed } };
}

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
