import type { ResponseContent } from "../outcome/content.ts";
import { isDoubtful, type JudgedResponse } from "../outcome/judge_response.ts";
import type { LoginDemand } from "../outcome/refusal.ts";
import type { ForeignLiteral } from "./foreign_literals.ts";
import type { UnsentHeaders } from "./unsent_headers.ts";

/** Outcome of a call in one iteration of one user. */
export interface CallOutcome extends JudgedResponse {
  /** One-based number of the user. */
  readonly user: number;
  /** One-based number of the iteration. */
  readonly iteration: number;
  /** Zero-based index of the request in the plan. */
  readonly index: number;
  /** Reason why there is no response. Undefined if there is a response. */
  readonly error?: string;
  /** True if no request was sent, for example because a variable was not set. */
  readonly unsent?: true;
  /** Present if the live response differs and asks for a login, or may do so. */
  readonly demand?: LoginDemand;
  /**
   * Literals of the request that earlier recorded responses contain, but no earlier response to
   * this user. Absent if there are none, or if the live response is as recorded.
   */
  readonly foreign?: readonly ForeignLiteral[];
  /** Recorded headers that the request lacks. Absent if the live response is as recorded. */
  readonly unsentHeaders?: UnsentHeaders;
  /**
   * Time, in seconds, to wait before the call is sent again. Absent unless the server enforced a
   * rate limit or was overloaded.
   */
  readonly rateLimit?: number;
  /**
   * How the request differs from the recorded one, although the response is as recorded. Absent if
   * it does not differ, or if it is not a write.
   */
  readonly sent?: readonly string[];
  /** Why the responses do not show that the write did its work. Absent if they do. */
  readonly unshown?: string;
  /** Differences in content. Undefined unless the response matches the recorded one. */
  readonly content?: ResponseContent;
}

/** Reports whether a call got a response that matches the recorded one. */
export function isAsRecorded({ differences, error }: CallOutcome): boolean {
  return differences.length === 0 && error === undefined;
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

/** Adds to `good` the indexes of the calls whose outcomes all match the recording. */
export function addGoodCalls(outcomes: readonly CallOutcome[], good: Set<number>): void {
  for (const [index, own] of Map.groupBy(outcomes, ({ index }) => index)) {
    if (own.every(isAsRecorded)) good.add(index);
  }
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
 * same way as those of the first call that failed. `isWrite` reports whether a call may change data.
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
