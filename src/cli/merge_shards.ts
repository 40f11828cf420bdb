import { InputError } from "../base/errors.ts";
import { mergeFlaws } from "../engine/summary/merge_flaws.ts";
import { mergeSummaries } from "../engine/merge/merge_summaries.ts";
import type { MergeFlaw, Summary } from "../engine/summary/summary.ts";
import { parseShard } from "../plan/partition.ts";

/** A summary and the path of its file. */
export interface SummaryFile {
  readonly path: string;
  readonly summary: Summary;
}

/**
 * Merges the summaries of the shards of one run. `files` must not be empty. Throws InputError with
 * all reasons why the summaries are not one complete run, except for the flaws in `allowed`.
 */
export function mergeShards(
  files: readonly SummaryFile[],
  allowed: ReadonlySet<MergeFlaw> = new Set(),
): Summary {
  const summaries = files.map(({ summary }) => summary);
  const conflicts = findConflicts(files);
  const flaws = conflicts.length > 0 ? [] : mergeFlaws(summaries);
  const refused = flaws.filter(({ flaw }) => !allowed.has(flaw));
  const reasons = [...conflicts, ...refused.map(({ message }) => message)];
  if (reasons.length > 0) {
    const advice = conflicts.length === 0
      ? `; to merge them anyway, add ${refused.map(({ flaw }) => `--allow ${flaw}`).join(" ")}`
      : "";
    throw new InputError(`not one complete run: ${reasons.join("; ")}${advice}`, {
      source: "cannot merge",
    });
  }
  try {
    return mergeSummaries(summaries);
  } catch (error) {
    const source = files.map(({ path }) => path).join(", ");
    throw new InputError(`cannot be merged: ${(error as Error).message}`, { source }, {
      cause: error,
    });
  }
}

/** Returns the reasons why the summaries cannot be merged, not even with `--allow`. */
function findConflicts(files: readonly SummaryFile[]): string[] {
  const [first, ...others] = files;
  const found: string[] = [];
  const holders = new Map<string, string>();
  const splitOf = ({ summary }: SummaryFile) => parseShard(summary.shards[0].shard)?.of;
  for (const file of files) {
    for (const { shard } of file.summary.shards) {
      const before = holders.get(shard);
      if (before !== undefined) {
        found.push(`${before} and ${file.path} both contain shard ${shard}`);
      }
      holders.set(shard, file.path);
    }
  }
  for (const file of others) {
    if (!isSamePlan(first.summary, file.summary)) {
      found.push(
        `${file.path} and ${first.path} are from different plans (plan, overlay, options or data differ)`,
      );
    } else if (splitOf(file) !== splitOf(first)) {
      found.push(
        `${file.path} is one of ${splitOf(file)} shards, but ${first.path} is one of ${
          splitOf(first)
        }`,
      );
    } else if (hasOtherOrder(first.summary, file.summary)) {
      found.push(
        `${file.path} and ${first.path} shuffled the data differently, so rows were used twice or ` +
          "never; run all shards with the same --seed, or all without --seed",
      );
    }
  }
  return found;
}

/** Reports whether two shards of a plan shuffled its data in different orders. */
function hasOtherOrder(a: Summary, b: Summary): boolean {
  return a.plan_hash !== null && b.plan_hash !== null && a.data_seed !== b.data_seed;
}

/**
 * Reports whether two summaries belong to the same plan. Compares the plan hashes, or the names and
 * thresholds if a summary has no hash.
 */
function isSamePlan(a: Summary, b: Summary): boolean {
  if (a.plan_hash !== null && b.plan_hash !== null) return a.plan_hash === b.plan_hash;
  return planLabel(a) === planLabel(b);
}

function planLabel({ name, thresholds }: Summary): string {
  return JSON.stringify([name, thresholds.map(({ metric, expression }) => [metric, expression])]);
}
