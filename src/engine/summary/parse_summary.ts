import { releasedFile } from "../../base/release.ts";
import * as z from "zod";
import { type Ending, ENDINGS } from "./codes.ts";
import { mergeFlaws } from "./merge_flaws.ts";
import { type Summary, summarySchema, type ThresholdVerdict } from "./summary.ts";
import { runPassed } from "./verdict.ts";

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
