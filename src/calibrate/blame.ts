import { isDoubtful } from "../outcome/judge_response.ts";
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
      if (outcome.isTaken) continue; // What the call itself sends is the reason.
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

/**
 * Reports whether later responses in the iteration say nothing about the plan, because a write had
 * no effect, the user is no longer logged in, or the server did not respond.
 */
export function isSessionLost(outcome: CallOutcome, isWrite: boolean): boolean {
  const { differences, error, unsent, demand } = outcome;
  if (error !== undefined) return isWrite || !unsent;
  if (differences.length === 0) return false;
  return isWrite || demand === "login" ||
    differences.some(({ kind, live }) =>
      kind === "location" || (kind === "status" && /^(?:3..|401|403)$/.test(live))
    );
}

/**
 * Returns the first failure of each call in a round. Omits failures that an earlier failure in the
 * same iteration explains. `isWrite` reports whether a call may change data.
 */
export function listFirstFailures(
  outcomes: readonly CallOutcome[],
  isWrite: (index: number) => boolean,
): CallOutcome[] {
  const lost = new Set<string>();
  const first = new Map<number, CallOutcome>();
  for (const outcome of outcomes) {
    const { user, iteration, index } = outcome;
    const key = `${user} ${iteration}`;
    if (isAsRecorded(outcome) || lost.has(key)) continue;
    if (isSessionLost(outcome, isWrite(index))) lost.add(key);
    if (!first.has(index)) first.set(index, outcome);
  }
  return [...first.values()];
}

/**
 * Returns the indexes of the writes that the server may have refused (see `isDoubtful`). Omits
 * writes that failed after another call in the same iteration, unless their commands differ in the
 * same way as those of the first call that failed.
 */
export function listDoubtfulWrites(
  outcomes: readonly CallOutcome[],
  isWrite: (index: number) => boolean,
): number[] {
  const refusal = ({ differences }: CallOutcome) => JSON.stringify(differences);
  const refusals = new Set(listFirstFailures(outcomes, isWrite).map(refusal));
  const doubtful = outcomes.filter((outcome) =>
    isDoubtful(outcome) && isWrite(outcome.index) && refusals.has(refusal(outcome))
  );
  return [...new Set(doubtful.map(({ index }) => index))].sort((a, b) => a - b);
}
