import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import { generatedValues } from "../verify/generated_values.ts";
import { isAsRecorded, type Round } from "./attempts.ts";
import { PROOF } from "./budget.ts";
import { PlanDraft } from "./draft.ts";
import type { RoundParts } from "./parts.ts";
import { quoteValue } from "./trial.ts";
import type { ConstantVariable } from "./variable_watch.ts";

// These edits follow the last round, which shows what the resulting plan does only because its
// requests send the same bytes.

/**
 * Removes extractors whose values all requests now take from elsewhere. Does not change what the
 * requests send.
 */
export function removeUnused(parts: RoundParts): void {
  const { draft, plan } = parts;
  const given = new PlanDraft(plan);
  const isUsed = (one: PlanDraft, index: number, name: string) => {
    const { consumers, messages } = one.usesOf(index, name);
    return consumers.length + messages > 0;
  };
  for (let source = 0; source < draft.size; source++) {
    const before = given.at(source).extract ?? [];
    for (const { name: variable } of draft.at(source).extract ?? []) {
      const isGiven = before.some(({ name }) => name === variable);
      if (isUsed(draft, source, variable) || isGiven && !isUsed(given, source, variable)) continue;
      release({ source, variable, value: "", numeric: false }, parts);
    }
  }
}

/**
 * Replaces variables that were equal in the recording and in all responses to two users with their
 * values, if the requests only insert them. Keeps values that look generated, because they may
 * differ in another deployment.
 */
export function removeConstants(parts: RoundParts, rounds: readonly Round[]): void {
  const { attempts, draft, variables, log } = parts;
  const outcomes = rounds.filter(({ load }) => load !== "one user")
    .flatMap((round) => attempts.outcomes(round)).filter(isAsRecorded);
  for (const constant of variables.constants) {
    const { variable, source, value } = constant;
    const own = outcomes.filter(({ index }) => index === source);
    const users = new Set(own.map(({ user }) => user));
    if (users.size < PROOF.users || !draft.isOnlyInserted(source, variable)) continue;
    if (looksGenerated(value) || generatedValues(value).length > 0) continue;
    if (!release(constant, parts)) continue;
    log.add(source, `removed the variable ${variable}: its value was always ${quoteValue(value)}`);
  }
}

/**
 * Replaces a variable with a value. Reports whether the plan is then valid. If it is not, for
 * example because a `set` step uses the variable, undoes the change.
 */
function release(
  { source, variable, value, numeric }: ConstantVariable,
  { draft, variables }: RoundParts,
): boolean {
  const before = draft.save();
  draft.release(source, variable, value, numeric);
  if (!draft.isValid()) {
    draft.restore(before);
    return false;
  }
  variables.forget(source, variable);
  return true;
}
