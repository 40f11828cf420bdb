import { callWords, haveCommonWord } from "../correlation/words.ts";
import { type CallOutcome, isAsRecorded } from "./attempts.ts";
import { isWriteRequest } from "./budget.ts";
import type { PlanDraft } from "./draft.ts";
import type { RecordedSide } from "./recorded_side.ts";

/**
 * Returns the zero-based index of the failed call that caused each failed outcome. Omits outcomes
 * that no other call explains. `outcomes` are those of one round.
 */
export function findCauses(
  outcomes: readonly CallOutcome[],
  draft: PlanDraft,
  recorded: RecordedSide,
): Map<CallOutcome, number> {
  const causes = new Map<CallOutcome, number>();
  const failed = outcomes.filter((outcome) => !isAsRecorded(outcome));
  const iterations = Map.groupBy(failed, ({ user, iteration }) => `${user} ${iteration}`);
  for (const own of iterations.values()) {
    for (const [i, outcome] of own.entries()) {
      const cause = own.slice(0, i).find((earlier) => explains(earlier, outcome, draft, recorded));
      if (cause !== undefined) causes.set(outcome, causes.get(cause) ?? cause.index);
    }
  }
  return causes;
}

function explains(
  failed: CallOutcome,
  { index }: CallOutcome,
  draft: PlanDraft,
  recorded: RecordedSide,
): boolean {
  if (failed.demand === "login" || failed.error !== undefined && !failed.unsent) return true;
  const request = draft.at(failed.index);
  const isSource = request.extract?.some(({ name }) =>
    draft.usesOf(failed.index, name).consumers.includes(index)
  );
  const [call, later] = [failed.index, index].map((one) => recorded.at(one)?.call);
  if (isSource || call === undefined || later === undefined) return true;
  if (call.fields.some(({ name }) => /pass|pwd/i.test(name))) return true;
  const [words, others] = [callWords(call), callWords(later)];
  if (isWriteRequest(request) && (words.length === 0 || others.length === 0)) return true;
  return haveCommonWord(words, others);
}
