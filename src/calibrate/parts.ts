import { recordedSecretHider } from "../convert/har/secrets.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { Attempts } from "./attempts.ts";
import { GivenPlan } from "./given_plan.ts";
import { LiveTarget } from "./live_target.ts";
import type { CalibrationOptions } from "./calibration.ts";
import { PlanDraft } from "./draft.ts";
import { ExtractTrials } from "./extract_trial.ts";
import { Extractions } from "./extractions.ts";
import { LostBodies } from "./lost_bodies.ts";
import { findMissingPauses, PauseTrials } from "./pause_trial.ts";
import { readRecordedSide } from "./recorded_side.ts";
import type { ExtractedRepair, LiveStep, ReceivedRepair, TrialKind } from "./trial.ts";
import { UniqueTrials } from "./unique_trial.ts";
import { VariableWatch } from "./variable_watch.ts";

export interface RoundParts {
  readonly plan: Plan;
  readonly recording: Recording;
  readonly options: CalibrationOptions;
  readonly draft: PlanDraft;
  readonly attempts: Attempts;
  readonly repairs: Repairs;
  readonly target: LiveTarget;
  /** Hides the secrets of the plan and of the recording. */
  hide(text: string): string;
}

export function createParts(
  plan: Plan,
  recording: Recording,
  origins: { readonly recorded: string; readonly target: string },
  options: CalibrationOptions,
): RoundParts {
  const given = new GivenPlan(plan);
  const draft = new PlanDraft(given, readRecordedSide(recording, given, origins));
  const attempts = new Attempts(findMissingPauses(plan, draft));
  const hide = recordedSecretHider(recording);
  const { redact = (text: string) => text } = options;
  return {
    plan,
    recording,
    options,
    draft,
    attempts,
    repairs: new Repairs(draft, attempts),
    target: new LiveTarget(plan, origins.target, options),
    hide: (text) => redact(hide(text)),
  };
}

/** What changes the plan: what good responses teach, and the trials after a failed call. */
export class Repairs {
  readonly unique: UniqueTrials;
  readonly variables: VariableWatch;
  readonly pauses: PauseTrials;
  readonly extractions: Extractions;
  readonly received: ReceivedRepair[] = [];
  /** In the order in which they are tried. */
  readonly trials: readonly TrialKind[];
  readonly #draft: PlanDraft;
  readonly #lost: LostBodies;

  constructor(draft: PlanDraft, attempts: Attempts) {
    this.#draft = draft;
    this.#lost = new LostBodies(draft);
    this.unique = new UniqueTrials(draft);
    this.variables = new VariableWatch(draft, this.unique);
    this.pauses = new PauseTrials(draft, attempts);
    this.extractions = new Extractions(draft, this.unique, this.variables, this.#lost);
    const sources = new ExtractTrials(draft, this.variables, this.extractions);
    this.trials = [sources, this.pauses, this.unique];
  }

  get extracted(): readonly ExtractedRepair[] {
    return this.extractions.repairs;
  }

  /** Number of changes of the plan so far, and of reads that worked after a wait. */
  get count(): number {
    return this.extracted.length + this.received.length + this.unique.count +
      this.variables.removed.length + this.pauses.accepted;
  }

  /**
   * Learns from a response that is as recorded. `others` are the responses to the other users, and
   * `get` returns the live value of a variable. If the iteration `diverged`, its session is lost,
   * so that the response says little about values.
   */
  learn(
    index: number,
    live: LiveStep,
    others: readonly LiveStep[],
    get: (variable: string) => unknown,
    { diverged, mayEdit }: { readonly diverged: boolean; readonly mayEdit: boolean },
  ): void {
    const { response } = this.#draft.recorded.at(index)!;
    const recorded = this.#lost.recordedAt(index) ?? response;
    const own = this.variables.check(index, recorded, live, get, diverged || !mayEdit);
    if (mayEdit) this.extractions.learn(index, live, others, own);
  }
}
