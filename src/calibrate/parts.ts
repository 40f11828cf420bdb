import { recordedSecretHider } from "../convert/har/secrets.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { Attempts } from "./attempts.ts";
import { RequestTexts } from "./round_users.ts";
import { plannedCalls, WriteBudget } from "./budget.ts";
import { Patience, RateLimitWaits } from "./rate_limit.ts";
import type { CalibrationOptions } from "./calibration.ts";
import { PlanDraft } from "./draft.ts";
import { ExtractTrials } from "./extract_trial.ts";
import { Extractions } from "./extractions.ts";
import { type GuardedSender, guardSender } from "./guarded_sender.ts";
import { LostBodies } from "./lost_bodies.ts";
import { findMissingPauses, PauseTrials } from "./pause_trial.ts";
import { readRecordedSide, type RecordedSide, type ResponseSnapshot } from "./recorded_side.ts";
import { CalibrationLog } from "./trial.ts";
import { UniqueTrials } from "./unique_trial.ts";
import { ConstantValues, VariableWatch } from "./variable_watch.ts";

/** What a calibration works with, and what its rounds share. */
export interface RoundParts {
  readonly plan: Plan;
  readonly recording: Recording;
  readonly target: string;
  readonly options: CalibrationOptions;
  readonly draft: PlanDraft;
  readonly recorded: RecordedSide;
  readonly attempts: Attempts;
  readonly extractions: Extractions;
  readonly lost: LostBodies;
  readonly sources: ExtractTrials;
  readonly variables: VariableWatch;
  readonly constants: ConstantValues;
  readonly unique: UniqueTrials;
  readonly pauses: PauseTrials;
  readonly texts: RequestTexts;
  /** Number of writes that one iteration sends. */
  readonly writes: number;
  readonly budget: WriteBudget;
  readonly limits: RateLimitWaits;
  readonly patience: Patience;
  readonly sender: GuardedSender;
  readonly log: CalibrationLog;
  /** Live responses to each call that were as recorded, by the number of the request. */
  readonly rights: Map<number, ResponseSnapshot[]>;
  /** Removes secrets from recorded or live text. */
  hide(text: string): string;
  /** Returns the time in Unix milliseconds. */
  now(): number;
  isInterrupted(): boolean;
  /** Reports whether the user interrupted the calibration, or the target is overloaded. */
  isOver(): boolean;
}

/** Creates what a calibration of `plan` works with. */
export function createParts(
  plan: Plan,
  recording: Recording,
  origins: { readonly recorded: string; readonly target: string },
  options: CalibrationOptions,
): RoundParts {
  const draft = new PlanDraft(plan, (index, source) => recorded.mayRead(index, source));
  const recorded = readDraft(draft, recording, origins);
  const { now, sleep, interrupt, redact = (text: string) => text } = options;
  const { writes, mostWrites } = plannedCalls(plan);
  const waiting = { sleep, now, announce: (text: string) => options.onRound?.(text) };
  const log = new CalibrationLog();
  const budget = new WriteBudget(mostWrites);
  const patience = new Patience(waiting, options.patience);
  const limits = new RateLimitWaits(patience, now);
  const attempts = new Attempts(findMissingPauses(plan, draft, recorded));
  const unique = new UniqueTrials(draft, recorded, log);
  const variables = new VariableWatch(draft, unique, log);
  const lost = new LostBodies(draft, recorded);
  const extractions = new Extractions(draft, recorded, unique, variables, lost, log);
  const hide = recordedSecretHider(recording);
  const isInterrupted = () => interrupt?.aborted ?? false;
  const isOver = () => isInterrupted() || limits.overload !== undefined;
  return {
    plan,
    recording,
    target: origins.target,
    options,
    draft,
    recorded,
    attempts,
    extractions,
    lost,
    sources: new ExtractTrials(draft, recorded, variables, extractions),
    variables,
    constants: new ConstantValues(draft),
    unique,
    pauses: new PauseTrials(draft, attempts, log),
    texts: new RequestTexts(),
    writes,
    budget,
    limits,
    patience,
    sender: guardSender(options.sender, {
      isAllowed: options.isAllowed,
      budget,
      waitToOpen: (response, waits) => limits.waitToOpen(response, waits, isOver),
    }),
    log,
    rights: new Map(),
    hide: (text) => redact(hide(text)),
    now,
    isInterrupted,
    isOver,
  };
}

function readDraft(
  draft: PlanDraft,
  recording: Recording,
  origins: { readonly recorded: string; readonly target: string },
): RecordedSide {
  const entries = new Map(
    Array.from({ length: draft.size }, (_, index) => [index, draft.entryOf(index)] as const)
      .flatMap(([index, entry]) => entry === undefined ? [] : [[index, entry] as const]),
  );
  return readRecordedSide(recording, entries, origins, {
    areTogether: (index, other) => draft.areTogether(index, other),
    requestAt: (index) => draft.at(index),
  });
}
