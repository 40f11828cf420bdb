import type { SupervisedVu } from "../engine/flow/request_observer.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { isDoubtful, isRefusal } from "../outcome/judge_response.ts";
import { type CallOutcome, isAsRecorded } from "./call_outcome.ts";
import type { SentExchange } from "./guarded_sender.ts";
import type { PauseTrials } from "./pause_trials.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { Repair } from "./repair.ts";
import { snapshotLive } from "./response_snapshot.ts";
import type { SearchTrials } from "./search_trials.ts";
import type { UniqueTrials } from "./unique_trials.ts";
import type { UserIteration } from "./user_iteration.ts";
import { isWriteRequest, type WriteBudget } from "./write_budget.ts";

/** The parts of a calibration that decide whether to send a request again. */
export interface RetryParts {
  readonly draft: PlanDraft;
  readonly recorded: RecordedSide;
  readonly trials: UniqueTrials;
  readonly pauses: PauseTrials;
  readonly searches: SearchTrials;
  readonly budget: WriteBudget;
  /** Called with each repair of the plan. */
  onRepair(repair: Repair): void;
}

/** Decides which requests to send again because the response differed from the recorded one. */
export class RequestRetries {
  readonly #parts: RetryParts;

  constructor(parts: RetryParts) {
    this.#parts = parts;
  }

  /**
   * Returns true if a write must be sent again unchanged because its response differs from the
   * recorded one only in its commands. If the unchanged request gets the recorded commands, they
   * vary, and the first response does not count.
   */
  confirmDoubtful(user: UserIteration, outcome: CallOutcome): boolean {
    const isTried = isDoubtful(outcome) && !user.isConfirmed && !user.isSearching &&
      !user.diverged && user.first === undefined && this.mayRepeat(outcome.index);
    user.isConfirmed ||= isTried;
    return isTried;
  }

  /**
   * Starts a trial, or ends the current one. In a trial, a search request searches for the whole of
   * a string that contains `${unique}`, instead of a part of the recorded string. Returns true if
   * the request must be sent again.
   */
  trySearch(user: UserIteration, outcome: CallOutcome): boolean {
    const { searches, draft, onRepair } = this.#parts;
    if (user.isSearching) {
      user.isSearching = false;
      if (isAsRecorded(outcome)) onRepair(searches.accept());
      else searches.reject();
      return !isAsRecorded(outcome); // Sends the recorded search term again.
    }
    const { index, differences, rateLimit } = outcome;
    const isTried = differences.length > 0 && rateLimit === undefined && !user.diverged &&
      !isWriteRequest(draft.at(index)) && draft.repeatedAt(index) === undefined &&
      searches.canStart(index);
    if (!isTried) return false;
    if (this.#confirm(user, outcome)) return true;
    user.isSearching = searches.start(index);
    return user.isSearching;
  }

  /**
   * If the server refused a write, tries it again with `${unique}` added to strings of the request.
   * Ends a trial that succeeded or cannot continue. Returns true if the request must be sent again.
   */
  tryUnique(
    vu: SupervisedVu,
    user: UserIteration,
    outcome: CallOutcome,
    exchanges: readonly SentExchange[],
  ): boolean {
    const { trials, recorded, onRepair } = this.#parts;
    const { index } = outcome;
    const isGood = isAsRecorded(outcome);
    if (user.first !== undefined) {
      if (isGood) {
        for (const repair of trials.accept(vu.unique, user.known)) onRepair(repair);
        user.first = undefined;
        return false;
      }
      if (this.mayRepeat(index)) return trials.reject();
      trials.abandon();
      return false;
    }
    const step = recorded.at(index);
    if (isGood || user.diverged || step === undefined || exchanges.length === 0) return false;
    if (!isWriteRequest(this.#parts.draft.at(index)) || outcome.rateLimit !== undefined) {
      return false;
    }
    const live = snapshotLive(exchanges[0].response);
    if (!isRefusal(step.response, live, outcome.differences) || !this.mayRepeat(index)) {
      return false;
    }
    const refused = {
      isFromServer: (text: string) => recorded.isReceivedBefore(index, text),
      createsUrl: createsUrl(step.exchange),
    };
    if (!trials.canStart(index, refused)) return false;
    if (this.#confirm(user, outcome)) return true;
    if (!trials.start(index, refused)) return false;
    user.first = outcome;
    return true;
  }

  /**
   * Returns the time, in milliseconds, to wait before resending a request that failed without its
   * recorded pause. Returns undefined if it must not be resent for this reason.
   */
  waitFor(user: UserIteration, outcome: CallOutcome, isGood: boolean): number | undefined {
    const { pauses } = this.#parts;
    const { index } = outcome;
    if (isGood) pauses.accept(index);
    const isTried = !isGood && !user.diverged && user.first === undefined;
    return isTried ? pauses.nextWait(index, outcome) : undefined;
  }

  /**
   * Returns true if the current request must be sent again unchanged before the calibration tries
   * other strings in it. If the unchanged request succeeds, the failure was random, and other
   * strings would only appear to help.
   */
  #confirm(user: UserIteration, outcome: CallOutcome): boolean {
    const isConfirmed = user.isConfirmed;
    user.isConfirmed = true;
    user.unconfirmed = isConfirmed ? undefined : outcome;
    return !isConfirmed;
  }

  /**
   * Reports whether a request may be sent again. This is the case if it is not a write, or if the
   * write limit has not been reached.
   */
  mayRepeat(index: number): boolean {
    const { draft, budget } = this.#parts;
    return !isWriteRequest(draft.at(index)) || budget.left > 0;
  }
}

/** Methods that may create a resource at another URL, or none. */
const CREATING_ELSEWHERE: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);

/** Reports whether a recorded call created the resource at its URL, such as with PUT or MKCOL. */
function createsUrl({ request, response }: Exchange): boolean {
  return response.status === 201 && !CREATING_ELSEWHERE.has(request.method.toUpperCase());
}
