import { recordedSecretHider } from "../convert/har/secrets.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { Attempts } from "./attempts.ts";
import {
  type GuardedSender,
  guardSender,
  Patience,
  plannedCalls,
  RateLimitWaits,
  WriteBudget,
} from "./budget.ts";
import type { CalibrationOptions } from "./calibration.ts";
import { PlanDraft } from "./draft.ts";
import { Extractions, ExtractTrials } from "./extractions.ts";
import { LostBodies } from "./lost_bodies.ts";
import { findMissingPauses, PauseTrials } from "./pause_trial.ts";
import { readRecordedSide, type ResponseSnapshot } from "./recorded_side.ts";
import { UniqueTrials } from "./unique_trial.ts";
import { ConstantValues, VariableWatch } from "./variable_watch.ts";

export interface RoundParts {
  readonly plan: Plan;
  readonly recording: Recording;
  readonly target: string;
  readonly options: CalibrationOptions;
  readonly draft: PlanDraft;
  readonly attempts: Attempts;
  readonly extractions: Extractions;
  readonly lost: LostBodies;
  readonly sources: ExtractTrials;
  readonly variables: VariableWatch;
  readonly constants: ConstantValues;
  readonly unique: UniqueTrials;
  readonly pauses: PauseTrials;
  readonly writes: number;
  readonly budget: WriteBudget;
  readonly limits: RateLimitWaits;
  readonly patience: Patience;
  readonly sender: GuardedSender;
  readonly rights: Map<number, ResponseSnapshot[]>;
  hide(text: string): string;
  now(): number;
  isInterrupted(): boolean;
  /** Reports whether the user interrupted the calibration, or the target is overloaded. */
  isOver(): boolean;
}

export function createParts(
  plan: Plan,
  recording: Recording,
  origins: { readonly recorded: string; readonly target: string },
  options: CalibrationOptions,
): RoundParts {
  const draft = new PlanDraft(plan, readRecordedSide(recording, plan, origins));
  const { now, sleep, interrupt, redact = (text: string) => text } = options;
  const { writes, mostWrites } = plannedCalls(plan);
  const waiting = { sleep, announce: (text: string) => options.onRound?.(text) };
  const budget = new WriteBudget(mostWrites);
  const patience = new Patience(waiting, options.patience);
  const limits = new RateLimitWaits(patience);
  const attempts = new Attempts(findMissingPauses(plan, draft));
  const unique = new UniqueTrials(draft);
  const variables = new VariableWatch(draft, unique);
  const lost = new LostBodies(draft);
  const extractions = new Extractions(draft, unique, variables, lost);
  const hide = recordedSecretHider(recording);
  const isInterrupted = () => interrupt?.aborted ?? false;
  const isOver = () => isInterrupted() || limits.overload !== undefined;
  return {
    plan,
    recording,
    target: origins.target,
    options,
    draft,
    attempts,
    extractions,
    lost,
    sources: new ExtractTrials(draft, variables, extractions),
    variables,
    constants: new ConstantValues(draft),
    unique,
    pauses: new PauseTrials(draft, attempts),
    writes,
    budget,
    limits,
    patience,
    sender: guardSender(options.sender, options.isAllowed, budget),
    rights: new Map(),
    hide: (text) => redact(hide(text)),
    now,
    isInterrupted,
    isOver,
  };
}
