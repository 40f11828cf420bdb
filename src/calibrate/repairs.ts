import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { Attempts } from "./attempts.ts";
import { PlanDraft } from "./draft.ts";
import { ExtractTrials } from "./extract_trial.ts";
import { Extractions } from "./extractions.ts";
import { GivenPlan } from "./given_plan.ts";
import { LostBodies } from "./lost_bodies.ts";
import { findMissingPauses, PauseTrials } from "./pause_trial.ts";
import { readRecordedSide } from "./recorded_side.ts";
import type { LiveStep, ReceivedRepair, TrialKind } from "./trial.ts";
import { UniqueTexts } from "./unique_texts.ts";
import { UniqueTrials } from "./unique_trial.ts";
import { VariableWatch } from "./variable_watch.ts";

/**
 * A plan under repair, the attempts that show what it does, and what changes it: what good
 * responses teach, and the trials after a failed call.
 */
export class Repairs {
  readonly draft: PlanDraft;
  readonly attempts: Attempts;
  readonly unique: UniqueTexts;
  readonly variables: VariableWatch;
  readonly extractions: Extractions;
  readonly lost: LostBodies;
  readonly received: ReceivedRepair[] = [];
  readonly pauses: PauseTrials;
  /** In the order in which they are tried. Their hooks are called in this order, too. */
  readonly trials: readonly TrialKind[];

  constructor(
    plan: Plan,
    recording: Recording,
    origins: { readonly recorded: string; readonly target: string },
  ) {
    const given = new GivenPlan(plan);
    const draft = new PlanDraft(given, readRecordedSide(recording, given, origins));
    this.draft = draft;
    this.attempts = new Attempts(findMissingPauses(plan, draft));
    this.lost = new LostBodies(draft);
    this.unique = new UniqueTexts(draft);
    this.variables = new VariableWatch(draft, this.unique);
    this.extractions = new Extractions(draft, this.unique, this.variables, this.lost);
    this.pauses = new PauseTrials(draft, this.attempts);
    this.trials = [
      new ExtractTrials(draft, this.variables, this.extractions),
      new UniqueTrials(draft, this.attempts, this.unique),
      // Last: a round that changed texts at its end is not evidence about pauses.
      this.pauses,
    ];
  }

  /** Number of changes of the plan so far, and of reads that worked after a wait. */
  get count(): number {
    return this.extractions.repairs.length + this.received.length + this.unique.count +
      this.variables.removed.length + this.pauses.accepted;
  }

  /** True if only another round can show whether a call needs its pause, or fails at random. */
  get isUndecided(): boolean {
    return this.pauses.isUndecided || this.attempts.undecided.length > 0;
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
    const recorded = this.lost.recordedAt(index)!;
    const own = this.variables.check(index, recorded, live, get, diverged || !mayEdit);
    if (mayEdit) this.extractions.learn(index, live, others, own);
  }
}
