import { InputError } from "../base/errors.ts";
import { mergeSummaries } from "../engine/merge_summaries.ts";
import type { Summary } from "../engine/summary.ts";
import { formatShare, parseShare } from "../plan/partition.ts";

/**
 * The one summary of shares of one run, by their files. Throws InputError when they do not belong
 * together or cannot be read.
 */
export function mergeShares(summaries: ReadonlyMap<string, Summary>): Summary {
  const [[firstFile, first], ...others] = summaries;
  const seen = new Map(first.shares.map((share) => [share, firstFile]));
  for (const [file, summary] of others) {
    if (planOf(summary) !== planOf(first)) {
      throw new InputError(`of another plan than ${firstFile}: its name or thresholds differ`, {
        source: file,
      });
    }
    for (const share of summary.shares) {
      const before = seen.get(share);
      if (before !== undefined) {
        throw new InputError(`holds share ${share}, as ${before} does: each belongs in once`, {
          source: file,
        });
      }
      seen.set(share, file);
    }
  }
  try {
    return mergeSummaries([...summaries.values()]);
  } catch (error) {
    const source = [...summaries.keys()].join(", ");
    throw new InputError(`cannot be merged: ${(error as Error).message}`, { source }, {
      cause: error,
    });
  }
}

/** The shares that are not there, as `i/n`; undefined when shares of different splits are mixed. */
export function missingShares(shares: readonly string[]): string[] | undefined {
  const parsed = shares.map(parseShare);
  const of = parsed[0]?.of ?? 1;
  if (parsed.some((share) => share?.of !== of)) return undefined;
  const all = Array.from({ length: of }, (_, index) => formatShare({ index, of }));
  return all.filter((share) => !shares.includes(share));
}

function planOf({ name, thresholds }: Summary): string {
  return JSON.stringify([name, thresholds.map(({ metric, expression }) => [metric, expression])]);
}
