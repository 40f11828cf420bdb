import { describeDifference } from "../outcome/difference.ts";
import type { RandomFailure } from "./call_attempts.ts";
import { isDoubtful } from "../outcome/judge_response.ts";
import { type CallOutcome, isAsRecorded } from "./call_outcome.ts";
import type { ForeignLiteral } from "./foreign_literals.ts";
import type { UnsentHeaders } from "./unsent_headers.ts";

/** Verdict of `calibrate` on a call. */
export type VerdictKind =
  | "as recorded"
  | "repaired"
  | "state"
  | "login"
  | "unclear"
  | "unclear write"
  | "user"
  | "random"
  | "refused"
  | "consequence"
  | "not sent"
  | "no response"
  | "other request"
  | "not shown";

/** Verdict on one call of a plan, over all iterations of a round. */
export interface CallVerdict {
  /** Zero-based index of the request in the plan. */
  readonly index: number;
  readonly kind: VerdictKind;
  /**
   * One-based number of the user who received the first response that differs from the recording.
   * Undefined if no response differs.
   */
  readonly user?: number;
  /**
   * One-based number of the iteration with the first response that does not match the recording.
   * Undefined if `user` is undefined.
   */
  readonly iteration?: number;
  /** Differences between the recorded response and the first response that does not match it. */
  readonly differences: readonly string[];
  /** Reason why there is no response. */
  readonly error?: string;
  /** Visible text from the response that reads like a refusal. */
  readonly refusal?: string;
  /** Only for the kind `user`: the literals that may belong to another user. */
  readonly foreign?: readonly ForeignLiteral[];
  /** True if the kind is `login` and an earlier response to the call was as recorded. */
  readonly wasAccepted?: true;
  /**
   * Recorded headers that the request lacks, and whose absence may be the reason for the verdict.
   */
  readonly unsentHeaders?: UnsentHeaders;
  /** Zero-based index of the call that caused this verdict. */
  readonly causedBy?: number;
  /**
   * Evidence that the call fails at random. If present, `user`, `iteration`, `differences` and
   * `error` describe the first failed attempt.
   */
  readonly random?: Pick<RandomFailure, "succeeded" | "attempts" | "round" | "pause">;
  /**
   * Time, in seconds, to wait before the call is sent again. Absent unless the server enforced a
   * rate limit or was overloaded.
   */
  readonly rateLimit?: number;
}

/**
 * Judges the calls `indexes` of a round, which all belong to one scenario. `isRepaired` reports
 * whether a call sends or returns a value that was repaired, and `wasGood` reports whether all
 * responses to it in an earlier round matched the recording. A call without any outcome counts as
 * not sent.
 */
export function judgeCalls(
  outcomes: readonly CallOutcome[],
  indexes: readonly number[],
  isRepaired: (index: number) => boolean,
  wasGood: (index: number) => boolean = () => false,
): CallVerdict[] {
  const byCall = Map.groupBy(outcomes, ({ index }) => index);
  const causes = firstFailures(outcomes);
  return indexes.map((index): CallVerdict => {
    const own = byCall.get(index) ?? [];
    const bad = own.filter((outcome) => !isAsRecorded(outcome));
    if (own.length === 0) {
      const causedBy = [...causes.values()].find((cause) => cause < index);
      return {
        index,
        kind: "not sent",
        differences: [],
        ...(causedBy !== undefined && { causedBy }),
      };
    }
    if (bad.length === 0) {
      const other = own.find(({ sent, unshown }) => (sent ?? unshown) !== undefined);
      if (other !== undefined) {
        const { sent, unshown, user, iteration } = other;
        const kind = sent === undefined ? "not shown" : "other request";
        return { index, kind, user, iteration, differences: sent ?? [unshown!] };
      }
      return { index, kind: isRepaired(index) ? "repaired" : "as recorded", differences: [] };
    }
    // Prefer a failure of the call itself to one that another call caused: it says more.
    const first = bad.find((one) => causes.get(iterationOf(one)) === index) ?? bad[0];
    const kind = kindOf(first, own, causes, wasGood(index));
    const { foreign } = first;
    return {
      index,
      ...kind,
      ...(kind.kind === "user" && foreign !== undefined && { foreign }),
      ...unsentOf(first, kind),
      ...detailsOf(first),
    };
  });
}

function kindOf(
  first: CallOutcome,
  own: readonly CallOutcome[],
  causes: ReadonlyMap<string, number>,
  wasGoodBefore: boolean,
): Pick<CallVerdict, "kind" | "causedBy" | "wasAccepted"> {
  const cause = causes.get(iterationOf(first));
  if (cause !== undefined && cause !== first.index) return { kind: "consequence", causedBy: cause };
  if (first.unsent) return { kind: "not sent" };
  if (first.error !== undefined) return { kind: "no response" };
  // An earlier call with correct values got the recorded response, for this or another user.
  const wasGood = wasGoodBefore || own.slice(0, own.indexOf(first)).some(isAsRecorded);
  if (first.demand === "login") return { kind: "login", ...(wasGood && { wasAccepted: true }) };
  if (!wasGood) return { kind: isDoubtful(first) ? "unclear write" : "refused" };
  return { kind: isOfUser(own) ? "user" : first.demand ?? "state" };
}

/**
 * Reports whether a call fails in every iteration of some users, and never for other users. Each
 * user must have made the call at least twice, because a single failure may be due to a change of
 * the application's data.
 */
function isOfUser(own: readonly CallOutcome[]): boolean {
  const users = [...Map.groupBy(own, ({ user }) => user).values()];
  const isAlways = (outcomes: readonly CallOutcome[], isGood: boolean) =>
    outcomes.length > 1 && outcomes.every((one) => isAsRecorded(one) === isGood);
  return users.some((outcomes) => isAlways(outcomes, true)) &&
    users.some((outcomes) => isAlways(outcomes, false)) &&
    users.every((outcomes) => isAlways(outcomes, true) || isAlways(outcomes, false));
}

function detailsOf(
  { user, iteration, differences, error, refusal, rateLimit }: CallOutcome,
): Omit<CallVerdict, "index" | "kind" | "foreign" | "wasAccepted" | "unsentHeaders"> {
  return {
    user,
    iteration,
    differences: differences.map(describeDifference),
    ...(error !== undefined && { error }),
    ...(refusal !== undefined && { refusal }),
    ...(rateLimit !== undefined && { rateLimit }),
  };
}

/**
 * Returns the recorded headers whose absence may explain a verdict. Returns none if another call
 * caused it, or if the server accepted an equal request before and does not name the headers.
 */
function unsentOf(
  { unsentHeaders }: CallOutcome,
  { kind, wasAccepted }: Pick<CallVerdict, "kind" | "wasAccepted">,
): Pick<CallVerdict, "unsentHeaders"> {
  const isNew = kind === "refused" || kind === "login" && wasAccepted === undefined;
  const mayExplain = unsentHeaders !== undefined && kind !== "consequence" &&
    (isNew || unsentHeaders.areNamed);
  return mayExplain ? { unsentHeaders } : {};
}

/**
 * For each user and iteration, returns the index of the first call whose outcome does not match the
 * recording.
 */
function firstFailures(outcomes: readonly CallOutcome[]): Map<string, number> {
  const causes = new Map<string, number>();
  for (const outcome of outcomes) {
    const key = iterationOf(outcome);
    if (!isAsRecorded(outcome) && !causes.has(key)) causes.set(key, outcome.index);
  }
  return causes;
}

function iterationOf({ user, iteration }: CallOutcome): string {
  return `${user} ${iteration}`;
}
