import { requestName } from "../plan/kinds/names.ts";
import { describeDifference } from "../outcome/difference.ts";
import type { Calibration, ReportedExtraction, RoundReport, SocketFailure } from "./calibration.ts";
import { type CallOutcome, isAsRecorded } from "./call_outcome.ts";
import { summarizeContent } from "./call_content.ts";
import { judgeLostValues } from "./lost_values.ts";
import { type CallVerdict, judgeCalls } from "./call_verdict.ts";
import type { RandomFailure } from "./call_attempts.ts";
import type { NeededPause } from "./needed_pause.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { Overload, Patience, RateLimitReport } from "./rate_limit_waits.ts";
import type { RecordedSide } from "./recorded_side.ts";
import {
  type ExtractedRepair,
  listKeptExtractions,
  listStillRemoved,
  type Repair,
} from "./repair.ts";
import type { RowTexts } from "./row_texts.ts";
import { isExplained } from "./socket_report.ts";
import type { VariableWatch } from "./variable_watch.ts";
import { isWriteRequest, type WriteBudget } from "./write_budget.ts";

/** Observations made during a calibration. */
export interface CalibrationParts {
  readonly target: string;
  readonly draft: PlanDraft;
  readonly recorded: RecordedSide;
  readonly rounds: readonly RoundReport[];
  /** Outcomes of the last round. */
  readonly outcomes: readonly CallOutcome[];
  /**
   * Zero-based indexes of the calls whose responses in an earlier round all matched the recording.
   */
  readonly good: ReadonlySet<number>;
  /** Verdicts of the round with users in lockstep. Empty unless a staggered round followed. */
  readonly lockStep: Calibration["calls"];
  readonly repairs: readonly Repair[];
  readonly variables: VariableWatch;
  readonly rows: RowTexts;
  /**
   * Recorded pauses that the last round inserted. Attempts with and without them have shown that
   * calls need them.
   */
  readonly pauses: readonly NeededPause[];
  /**
   * Returns the length, in milliseconds, of the recorded pause whose absence may explain why a call
   * failed.
   */
  readonly possiblePause: (index: number) => number | undefined;
  /** Calls that failed at random. */
  readonly random: readonly RandomFailure[];
  /** Failures of the last round that happened only once, and may be random. */
  readonly open: readonly CallOutcome[];
  readonly messages: Calibration["messages"];
  readonly uncompared: Calibration["uncompared"];
  readonly missing: Calibration["missing"];
  readonly budget: WriteBudget;
  readonly explanation: readonly string[];
  /** The plan that was kept instead of the last one, because the last one did worse. */
  readonly kept: Calibration["kept"];
  /** True if the last round ran with all users and iterations and changed nothing. */
  readonly isComplete: boolean;
  readonly isInterrupted: boolean;
  readonly overload: Overload | undefined;
  readonly patience: Patience;
  readonly rateLimit: RateLimitReport | undefined;
}

/** Summarizes the observations of a calibration, with a verdict for each call. */
export function buildCalibration(parts: CalibrationParts): Omit<Calibration, "moved"> {
  const { target, draft, rounds, outcomes, variables, budget, explanation, isComplete } = parts;
  const kept = listKeptExtractions(
    parts.repairs.filter((repair) => repair.kind === "extracted"),
    (index) => draft.at(index),
  );
  const extracted = kept.map((repair) => reportExtraction(repair, draft));
  const isAlwaysGood = (call: number) => {
    const own = outcomes.filter(({ index }) => index === call);
    return own.length > 0 && own.every(isAsRecorded);
  };
  const received = parts.repairs.filter((repair) => repair.kind === "received");
  const unique = parts.repairs
    .filter((repair) => repair.kind === "unique" || repair.kind === "search")
    .filter(({ recorded, template, source }) =>
      !parts.rows.isRefused(recorded) && draft.sends(source, template)
    );
  const pauses = rounds.at(-1)!.users > 1
    ? parts.pauses.filter(({ index }) => isAlwaysGood(index))
    : [];
  const repaired = new Set([
    ...pauses.map(({ index }) => index),
    ...extracted.flatMap(({ consumers }) => consumers),
    ...received.flatMap(({ consumers }) => consumers),
    ...unique.map(({ source }) => source),
  ]);
  const verdicts = [...draft.replayed().values()].flatMap((indexes) => {
    const own = outcomes.filter(({ index }) => indexes.includes(index));
    const wasGood = (index: number) => parts.good.has(index);
    return judgeCalls(own, indexes, (index) => repaired.has(index), wasGood)
      .map((verdict) => withRandom(verdict, parts.random))
      .map((verdict) => withRepetition(verdict, indexes, draft))
      .map((verdict) => withLostValues(verdict, parts));
  });
  const socketFailure = findSocketFailure(rounds);
  const isSocketGood = socketFailure === undefined &&
    parts.messages.every(({ refused }) => refused === 0);
  return {
    target,
    proven: isComplete && isSocketGood && parts.missing.length === 0 && verdicts.every(isGood),
    missing: parts.missing,
    ...(parts.kept !== undefined && { kept: parts.kept }),
    ...(parts.isInterrupted && { interrupted: true }),
    ...(parts.patience.isExhausted && { patienceMs: parts.patience.limitMs }),
    ...(parts.overload !== undefined && { overload: parts.overload }),
    ...(parts.rateLimit !== undefined && { rateLimit: parts.rateLimit }),
    exceptState: isComplete && isSocketGood && parts.missing.length === 0 &&
      parts.open.length === 0 &&
      isGoodExcept(verdicts, ({ kind }) => kind === "state"),
    calls: verdicts.map((verdict) => {
      const entry = draft.entryOf(verdict.index);
      const content = summarizeContent(outcomes.filter(({ index }) => index === verdict.index));
      return {
        ...verdict,
        ...(content !== undefined && { content }),
        name: requestName(draft.at(verdict.index)),
        scenario: draft.scenarioAt(verdict.index),
        ...(entry !== undefined && { entry }),
      };
    }),
    ...(socketFailure !== undefined && { socketFailure }),
    messages: parts.messages,
    uncompared: parts.uncompared,
    conflicts: parts.lockStep.filter((call) => {
      const staggered = verdicts.find(({ index }) => index === call.index);
      return wasGoodAtFirst(call) && staggered !== undefined && isGood(staggered);
    }).map(({ index, user, iteration, differences }) => ({ index, user, iteration, differences })),
    rounds,
    writes: { sent: budget.sent, limit: budget.limit },
    extracted,
    received: received.map(({ kind: _, extractor: { name: __, ...extractor }, ...rest }) => ({
      ...rest,
      extractor,
    })),
    unique: unique.map(({ recorded, template, source }) => ({ recorded, template, source })),
    pauses,
    possiblePauses: listPossiblePauses(parts, pauses, socketFailure),
    removed: listStillRemoved(
      variables.removed,
      [...kept, ...received],
      (index, other) => draft.areTogether(index, other),
    ),
    constants: variables.constants.map(({ variable, value, source, numeric }) => ({
      variable,
      value,
      source,
      numeric,
    })),
    explanation,
  };
}

/** Returns the verdict on a write that the plan sends although an earlier request replays its entry. */
function withRepetition(
  verdict: CallVerdict,
  indexes: readonly number[],
  draft: PlanDraft,
): CallVerdict {
  const { index } = verdict;
  const entry = draft.entryOf(index);
  if (entry === undefined || !isGood(verdict) || !isWriteRequest(draft.at(index))) return verdict;
  const first = indexes.find((other) => draft.entryOf(other) === entry)!;
  if (first === index) return verdict;
  const differences = [`call ${first + 1} replays the same recorded call`];
  return { index, kind: "other request", differences };
}

/**
 * Returns a verdict that marks the call as failed at random if it is in `random`. Returns the
 * verdict unchanged if another call caused it.
 */
function withRandom(verdict: CallVerdict, random: readonly RandomFailure[]): CallVerdict {
  const found = random.find(({ index }) => index === verdict.index);
  if (found === undefined || verdict.causedBy !== undefined) return verdict;
  const { index, user, iteration, differences, error, succeeded, attempts, round, pause } = found;
  return {
    index,
    kind: "random",
    user,
    iteration,
    differences,
    ...(error !== undefined && { error }),
    random: { succeeded, attempts, round, ...(pause !== undefined && { pause }) },
  };
}

/**
 * Returns the verdict `state` for a call whose responses match the recording, except that a list is
 * empty although the plan sends a value from the recorded list. Returns any other verdict
 * unchanged.
 */
function withLostValues(verdict: CallVerdict, parts: CalibrationParts): CallVerdict {
  if (!isGood(verdict)) return verdict;
  const { outcomes, draft, recorded } = parts;
  return judgeLostValues(verdict.index, outcomes, draft, recorded) ?? verdict;
}

/**
 * Returns the first round with a failed WebSocket. Skips rounds that repaired the plan or omitted
 * pauses, and rounds in which failed calls explain the failure. Never skips the last round.
 */
function findSocketFailure(rounds: readonly RoundReport[]): SocketFailure | undefined {
  const found = rounds.find(({ sockets, repairs, alternated }, i) => {
    if (sockets === undefined || sockets.failed === 0) return false;
    return i === rounds.length - 1 || (repairs === 0 && !alternated && !isExplained(sockets));
  });
  return found && { ...found.sockets!, round: found.name };
}

/**
 * Returns the recorded pauses whose absence may explain failures. These are pauses before calls
 * that failed only once or at random without the pause, and before calls that were not followed by
 * an expected WebSocket message. Omits `confirmed`, the pauses that calls are known to need.
 */
function listPossiblePauses(
  { random, open, good, possiblePause }: CalibrationParts,
  confirmed: readonly NeededPause[],
  socketFailure: SocketFailure | undefined,
): NeededPause[] {
  const failures = [
    ...random.filter(({ pause, error }) => pause !== undefined && error === undefined),
    ...open.filter(({ index, error }) => error === undefined && good.has(index))
      .map(({ index, differences }) => ({
        index,
        differences: differences.map(describeDifference),
      })),
    ...(socketFailure?.early ?? []).map(({ index, error }) => ({ index, differences: [error] })),
  ];
  const firsts = [...Map.groupBy(failures, ({ index }) => index).values()].map(([first]) => first);
  return firsts.flatMap(({ index, differences }) => {
    const ms = possiblePause(index);
    if (ms === undefined || confirmed.some((pause) => pause.index === index)) return [];
    return [{ index, ms, differences }];
  }).sort((a, b) => a.index - b.index);
}

/** Returns the report on a value that a plan extracts. */
function reportExtraction(
  { extractor: { name: _, ...extractor }, ...repair }: ExtractedRepair,
  draft: PlanDraft,
): ReportedExtraction {
  const { variable, recorded, live, source, isRestored } = repair;
  return {
    variable,
    recorded,
    live,
    source,
    extractor,
    consumers: draft.consumers(source, variable),
    messages: draft.messagesWith(source, variable),
    ...(isRestored && { isRestored }),
  };
}

/** Reports whether the response to a call matched the recording in every iteration. */
export function isGood({ kind }: CallVerdict): boolean {
  return kind === "as recorded" || kind === "repaired";
}

/**
 * Reports whether a later response to a call differs from the recording, but the first one matched
 * it. Another user's requests may be the reason.
 */
function wasGoodAtFirst({ kind, wasAccepted }: CallVerdict): boolean {
  return kind === "state" || kind === "unclear" || kind === "user" || wasAccepted === true;
}

/**
 * Reports whether another user's requests may explain all differences that a calibration found, so
 * that a round with staggered users may prove that the plan works.
 */
export function mayBeConflict(
  { calls, socketFailure, messages }: Omit<Calibration, "moved">,
): boolean {
  return socketFailure === undefined && messages.every(({ refused }) => refused === 0) &&
    isGoodExcept(calls, wasGoodAtFirst);
}

/**
 * Reports whether each call is as recorded, except calls that `accepts` accepts and calls that fail
 * only because of these.
 */
function isGoodExcept(
  verdicts: readonly CallVerdict[],
  accepts: (verdict: CallVerdict) => boolean,
): boolean {
  const isAccepted = (verdict: CallVerdict): boolean => {
    if (isGood(verdict) || accepts(verdict)) return true;
    const cause = verdicts.find(({ index }) => index === verdict.causedBy);
    return verdict.kind === "consequence" && cause !== undefined && isAccepted(cause);
  };
  return verdicts.every(isAccepted);
}
