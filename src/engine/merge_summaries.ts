import { mergeSnapshots } from "./metrics/merge_snapshots.ts";
import { snapshotOf } from "./metrics/read_summary.ts";
import { summarize } from "./metrics/summarize.ts";
import { judge, readRules } from "./metrics/verdict.ts";
import type { Ending, Summary } from "./summary.ts";

const GRAVEST: readonly Ending[] = ["assertion", "threshold", "interrupted", "finished"];

/**
 * The one summary of the shares of a run (at least one). The thresholds that they were run with are judged again,
 * on the whole. Throws an Error when a summary cannot be read.
 */
export function mergeSummaries(summaries: readonly Summary[]): Summary {
  const snapshot = mergeSnapshots(summaries.map(snapshotOf));
  const verdicts = summaries[0].thresholds.map(({ metric, expression }) => {
    const [rule] = readRules({ [metric]: [expression] });
    const aborted = summaries.some(({ thresholds }) =>
      thresholds.some((t) => t.metric === metric && t.expression === expression && t.aborted)
    );
    return { ...judge(rule, snapshot.metrics, snapshot.durationMs), aborted };
  });
  const facts = {
    name: summaries[0].name,
    started_at: summaries.map(({ started_at }) => started_at).sort()[0],
    ending: GRAVEST.find((ending) => summaries.some((s) => s.ending === ending))!,
    seed: summaries[0].seed,
    shares: summaries.flatMap(({ shares }) => shares),
  };
  return summarize(snapshot, facts, verdicts);
}
