import type { CallResult } from "../../src/verify/verify_plan.ts";
import type { Measured, RecordedCall } from "./measure.ts";

/** Counts for one verdict of `verify`: the number of calls with each result in the live run. */
export interface VerdictCounts {
  asRecorded: number;
  /** Number of calls that were the first call to fail for at least one user. */
  failedFirst: number;
  /** Number of calls that failed only after another call of the same user had failed. */
  failedLater: number;
}

/**
 * For each verdict of `verify`, the number of calls with this verdict, grouped by their result in
 * the live run.
 */
export type Confusion = Record<CallResult, VerdictCounts>;

/**
 * Compares the verdicts of `verify` on individual calls with the results of the live run. A call
 * counts as failed if its response differed from the recorded response for at least one user in at
 * least one iteration.
 */
export function confusion(
  measured: readonly {
    readonly recorded: readonly Pick<RecordedCall, "index">[];
    readonly forecast: Measured["forecast"];
    readonly live: Measured["live"];
  }[],
): Confusion {
  const none = () => ({ asRecorded: 0, failedFirst: 0, failedLater: 0 });
  const counts: Confusion = {
    "stale": none(),
    "not sent": none(),
    "unproven": none(),
    "differs": none(),
    "consistent": none(),
  };
  for (const { recorded, forecast, live } of measured) {
    const failed = live.filter(({ differences }) => differences.length > 0);
    const failing = new Set(failed.map(({ call }) => call));
    const first = new Set(firstFailures(failed));
    recorded.forEach(({ index }, call) => {
      const verdict = forecast.calls[index] ?? "not sent";
      if (!failing.has(call)) counts[verdict].asRecorded++;
      else if (first.has(call)) counts[verdict].failedFirst++;
      else counts[verdict].failedLater++;
    });
  }
  return counts;
}

/**
 * Returns the first failed call of each user. `failed` is in the order of the calls. Later failures
 * may be consequences of the first one, even in the next iteration: for example, after a logout
 * that failed.
 */
function firstFailures(failed: Measured["live"]): number[] {
  return [...Map.groupBy(failed, ({ user }) => user).values()].map(([{ call }]) => call);
}

/** Verdicts that predict that a call will fail. */
const FAILING = ["stale", "not sent"] as const;
/** Verdicts that predict that a call will or might fail. */
const DOUBTFUL = [...FAILING, "unproven"] as const;

/**
 * Returns precision and recall, from 0 to 1, or NaN if they are undefined. Precision is the share
 * of calls with the verdict `stale` or `not sent` that failed live. Recall is the share of first
 * failed calls with the verdict `stale`, `not sent` or `unproven`.
 */
export function precisionAndRecall(
  counts: Confusion,
): { readonly precision: number; readonly recall: number } {
  const sum = (verdicts: readonly CallResult[], what: keyof VerdictCounts) =>
    verdicts.reduce((total, verdict) => total + counts[verdict][what], 0);
  const failed = sum(FAILING, "failedFirst") + sum(FAILING, "failedLater");
  const foretold = sum(DOUBTFUL, "failedFirst");
  return {
    precision: failed / (failed + sum(FAILING, "asRecorded")),
    recall: foretold / sum([...DOUBTFUL, "differs", "consistent"], "failedFirst"),
  };
}
