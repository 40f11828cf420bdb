import { plural } from "../base/format.ts";
import { KnownPairs } from "../correlation/known_pairs.ts";
import { type Trace, workShown } from "../outcome/work.ts";
import { type Attempts, type CallOutcome, type RequestTexts, SentRequests } from "./attempts.ts";
import type { Patience, RateLimitWaits, WriteBudget } from "./budget.ts";
import type { PlanDraft } from "./draft.ts";
import type { ExtractTrials } from "./extract_trial.ts";
import type { Extractions } from "./extractions.ts";
import type { GuardedSender } from "./guarded_sender.ts";
import type { Judged } from "./judge_call.ts";
import type { LostBodies } from "./lost_bodies.ts";
import type { PauseTrials } from "./pause_trial.ts";
import type { RepeatedRequest } from "./repeated_requests.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import type { CalibrationLog, LiveStep, LiveSteps } from "./trial.ts";
import type { SearchTrials, UniqueTrials } from "./unique_trial.ts";
import type { ConstantValues, VariableWatch } from "./variable_watch.ts";

/** What all rounds of a calibration share. */
export interface RoundParts {
  readonly draft: PlanDraft;
  readonly recorded: RecordedSide;
  readonly attempts: Attempts;
  readonly extractions: Extractions;
  readonly lost: LostBodies;
  readonly sources: ExtractTrials;
  readonly variables: VariableWatch;
  readonly constants: ConstantValues;
  readonly unique: UniqueTrials;
  readonly searches: SearchTrials;
  readonly pauses: PauseTrials;
  readonly texts: RequestTexts;
  readonly budget: WriteBudget;
  readonly limits: RateLimitWaits;
  readonly patience: Patience;
  readonly sender: GuardedSender;
  readonly log: CalibrationLog;
  readonly rights: Map<number, ResponseSnapshot[]>;
  hide(text: string): string;
  /** Returns the time in Unix milliseconds. */
  now(): number;
}

/** A request to send the current request again. */
export interface Again {
  /** Time to wait before, in milliseconds. */
  readonly waitMs?: number;
}

/** Attempts of one user at the requests in `retry` steps, in one iteration. */
class Polls {
  /** Number of attempts at each request since the condition of its step was last true. */
  readonly #attempts = new Map<number, number>();
  /** Indexes of the requests whose outcome is known. Further attempts do not count. */
  readonly #ended = new Set<number>();

  hasEnded(index: number): boolean {
    return this.#ended.has(index);
  }

  /**
   * Judges an attempt at a request that a `retry` step may repeat. The live server may need more or
   * fewer attempts than the recorded one, so only the last attempt is compared with the recording.
   * If the condition of the step is still false after the last attempt, the call does not match the
   * recording. If an attempt has a non-2xx status, that attempt is the outcome of the call.
   */
  judge(judged: Judged, repeated: RepeatedRequest | undefined): Judged {
    if (repeated === undefined) return judged;
    const { outcome, live } = judged;
    const { index } = outcome;
    const attempt = (this.#attempts.get(index) ?? 0) + 1;
    this.#attempts.set(index, attempt);
    if (this.#ended.has(index)) return { outcome, isOpen: true };
    if (live !== undefined && repeated.isEnd(live)) {
      this.#attempts.delete(index);
      return judged;
    }
    const isWorking = live !== undefined && live.status >= 200 && live.status < 300;
    if (isWorking && attempt < repeated.attempts) return { outcome, isOpen: true };
    this.#ended.add(index);
    if (!isWorking) return judged;
    const difference = {
      kind: "condition",
      recorded: repeated.condition,
      live: plural(attempt, "attempt"),
    } as const;
    return { outcome: { ...outcome, differences: [difference, ...outcome.differences] }, live };
  }
}

/** State of a user in one iteration. */
export class UserIteration implements LiveSteps {
  readonly iteration: number;
  readonly known = new KnownPairs();
  readonly steps = new Map<number, LiveStep>();
  readonly traces = new Map<number, readonly Trace[]>();
  readonly sent: SentRequests;
  readonly polls = new Polls();
  /** True after the session was lost. Later responses then do not show whether the plan is right. */
  diverged = false;
  /** Pause that was inserted before the current request, in milliseconds. */
  pause = 0;
  /** Waits that do not count as delays by other users: earlier ones, and this user's own pauses. */
  waitsBefore: number;
  responses = 0;
  /** Number of times that the current request waited because of a rate limit. */
  waits = 0;
  /** The outcome that a rate limit refused, if the recorded pause is at least as long as the wait. */
  limitedBy: CallOutcome | undefined;
  /** The attempts at the current request. Undefined before its first response. */
  attempts: Iterator<Again, void, Judged> | undefined;

  constructor(iteration: number, texts: RequestTexts, waitsBefore: number) {
    this.iteration = iteration;
    this.sent = new SentRequests(texts);
    this.waitsBefore = waitsBefore;
  }

  /**
   * Returns the reason why the responses do not show that the write `index` did its work, or
   * undefined if they do, or if the call is not a write that got a response.
   */
  unshown(index: number, draft: PlanDraft, recorded: RecordedSide): string | undefined {
    const live = this.steps.get(index)?.response;
    const traces = this.traces.get(index);
    if (live === undefined || traces === undefined) return undefined;
    const [earlier, later] = [draft.earlier(index), draft.later(index)].map((indexes) =>
      indexes.flatMap((i) => recorded.at(i) === undefined ? [] : [i])
    );
    const step = recorded.at(index)!;
    // A poll gets one of several recorded responses.
    const works = [step.response, ...recorded.repeats(index)].map((response) =>
      workShown({
        recorded: response,
        live,
        traces,
        earlier: earlier.map((i) => recorded.at(i)!.response),
        later: later.map((i) => ({
          recorded: recorded.at(i)!.response,
          live: this.steps.get(i)?.response,
        })),
        isRebuilt: step.exchange.request.bodyRebuilt ?? false,
      })
    );
    const [first] = works;
    return first.isShown || works.some(({ isShown }) => isShown) ? undefined : first.reason;
  }
}
