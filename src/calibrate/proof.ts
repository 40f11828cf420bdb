import { plural } from "../base/format.ts";
import { PROVING_LOAD } from "./attempts.ts";
import type { Calibration, RoundReport } from "./calibration.ts";
import { isGood, type LiveVerdict, type VerdictKind, wasGoodAtFirst } from "./verdicts.ts";

/** What a proof follows from. */
export interface ProofFacts
  extends
    Pick<Calibration, "kept" | "interrupted" | "overload">,
    Pick<Calibration, "messages" | "missing" | "socketFailure"> {
  readonly calls: readonly LiveVerdict[];
  readonly rounds: readonly Pick<
    RoundReport,
    "users" | "iterations" | "repairs" | "alternated" | "staggered"
  >[];
  /** True if only another round can show whether a call fails at random. */
  readonly isUndecided?: boolean;
}

/** `reason` is what reports say if the condition is not met. Empty if another one says more. */
type Condition = readonly [
  isMet: (facts: ProofFacts) => boolean,
  reason?: (found: Calibration) => string,
];

const AGAIN = "calibrate the resulting plan again";
/** The conditions for the last round and its calls, in the order in which reports name them. */
const OF_ROUND: readonly Condition[] = [
  [({ kept }) => kept !== "given", () => "repairs did harm, so the plan is kept as it was given"],
  [({ interrupted, overload }) => !interrupted && overload === undefined],
  [({ rounds }) => rounds.at(-1)!.users === PROVING_LOAD.users],
  [({ rounds }) => rounds.at(-1)!.iterations === PROVING_LOAD.iterations],
  [({ isUndecided }) => !isUndecided],
  [
    ({ rounds }) => rounds.at(-1)!.repairs === 0,
    ({ calls }) => calls.every(isGood) ? `the last round still repaired the plan; ${AGAIN}` : "",
  ],
  [
    ({ rounds }) => !rounds.at(-1)!.alternated,
    () => `the last round was still trying pauses; ${AGAIN}`,
  ],
];
const OF_CALLS: readonly Condition[] = [
  [({ socketFailure }) => socketFailure === undefined, () => "WebSockets failed"],
  [({ messages }) => messages.every(({ refused }) => refused === 0), ({ messages }) => {
    const refused = messages.reduce((sum, one) => sum + one.refused, 0);
    return `${plural(refused, "WebSocket message")} ${refused === 1 ? "reports" : "report"} ` +
      "an error, unlike in the recording";
  }],
  [({ messages }) => messages.every(({ ambiguous }) => ambiguous.length === 0), ({ messages }) => {
    const ambiguous = new Set(messages.flatMap((one) => one.ambiguous));
    const names = [...ambiguous].map((name) => `\`\${${name}}\``).join(", ");
    return `WebSocket messages contain several values for ${names}; the plan may send a wrong one`;
  }],
  noCall(
    "login",
    ([{ index }]) =>
      `the server requested a login at call ${index + 1}; check that the plan logs in, with ` +
      "credentials that are still valid",
  ),
  [
    ({ missing }) => missing.length === 0,
    ({ missing }) =>
      `the plan does not send ${plural(missing.length, "recorded write")}; list the entries to ` +
      "omit in `recorded.left_out` of the plan",
  ],
  noCall("user", ([{ index, user, foreign }]) =>
    `call ${index + 1} fails only for user ${user}; ` +
    `${foreign ? "it probably sends" : "check whether it sends"} a value of another user`),
  noCall("random", ({ length }) => `${plural(length, "call")} failed at random`),
];

function noCall(
  kind: VerdictKind,
  reason: (calls: readonly LiveVerdict[]) => string,
): Condition {
  const isOfKind = (call: LiveVerdict) => call.kind === kind;
  return [({ calls }) => !calls.some(isOfKind), ({ calls }) => reason(calls.filter(isOfKind))];
}

/**
 * Reports whether the last round of a calibration proves that every call did its work. With
 * `acceptsState`, a call may differ if only the target's data changed, also by another user who
 * sends the same calls at the same time.
 */
export function isProven(facts: ProofFacts, acceptsState = false): boolean {
  return [...OF_ROUND, ...OF_CALLS].every(([isMet]) => isMet(facts)) &&
    (acceptsState || !facts.rounds.at(-1)!.staggered) &&
    isGoodExcept(facts.calls, ({ kind, isFault }) => acceptsState && kind === "state" && !isFault);
}

/** Returns the reason why a plan is not proven. Empty if the verdicts of the calls say it. */
export function unprovenReason(found: Calibration): string {
  if (found.exceptState) {
    const [what, which] = found.calls.every(isGood)
      ? [
        `users at the same time disturb each other at ${plural(found.conflicts.length, "call")}`,
        "this",
      ]
      : ["the others differ only because the state changed", "them"];
    return `${what}; \`--allow-state\` accepts ${which}`;
  }
  return [...OF_ROUND, ...OF_CALLS].values()
    .map(([isMet, reason]) => isMet(found) ? "" : reason?.(found)).find(Boolean) ?? "";
}

/**
 * Reports whether another user's requests may explain all differences, so that a round with
 * staggered users may prove that the plan works. If a text exists already, the plan must send other
 * text.
 */
export function mayBeConflict(facts: ProofFacts): boolean {
  return OF_ROUND.every(([isMet]) => isMet(facts)) && facts.socketFailure === undefined &&
    facts.messages.every(({ refused }) => refused === 0) &&
    isGoodExcept(facts.calls, (call) => wasGoodAtFirst(call) && !call.isTaken);
}

/** Reports whether each call is good or accepted, or fails only because of accepted calls. */
function isGoodExcept(
  calls: readonly LiveVerdict[],
  accepts: (verdict: LiveVerdict) => boolean,
): boolean {
  const isAccepted = (call: LiveVerdict): boolean => {
    if (isGood(call) || accepts(call)) return true;
    const cause = calls.find(({ index }) => index === call.causedBy);
    return call.kind === "consequence" && cause !== undefined && isAccepted(cause);
  };
  return calls.every(isAccepted);
}
