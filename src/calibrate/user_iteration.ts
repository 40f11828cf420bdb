import type { Trace } from "../outcome/work.ts";
import { KnownPairs } from "../correlation/known_pairs.ts";
import type { CallOutcome } from "./call_outcome.ts";
import type { LiveStep } from "./live_step.ts";
import { type RequestTexts, SentRequests } from "./sent_requests.ts";

/** State of a user in the current iteration. */
export interface UserIteration {
  readonly iteration: number;
  readonly known: KnownPairs;
  /**
   * Steps of this iteration whose response is as recorded, keyed by the number of
   * the request.
   */
  readonly steps: Map<number, LiveStep>;
  /** Texts that each write sent, by the number of the request. */
  readonly traces: Map<number, readonly Trace[]>;
  /**
   * True after the session was lost (see `isSessionLost`). Later responses of the iteration then
   * do not show whether the plan is right.
   */
  diverged: boolean;
  /** Requests of the plan that were sent in this iteration. */
  readonly sent: SentRequests;
  /**
   * Number of attempts at each request in a `retry` step since the condition of the step was last
   * true.
   */
  readonly attempts: Map<number, number>;
  /**
   * Indexes of the requests in `retry` steps whose outcome in this iteration is known. Further
   * attempts at them do not count.
   */
  readonly ended: Set<number>;
  /** Number of times that the current request waited because of a rate limit. */
  waits: number;
  /**
   * Outcome of the last attempt at the current request that a rate limit refused. Undefined if the
   * recorded pause is shorter than the wait after it.
   */
  limitedBy: CallOutcome | undefined;
  /** Pause that was inserted before the current request, in milliseconds. */
  pause: number;
  /**
   * Number of waits that do not count as delays by other users: all waits before this iteration,
   * and this user's own pauses during it.
   */
  waitsBefore: number;
  /** True if the last response was to the first attempt at the current request. */
  isFirst: boolean;
  /** True while the current request is being sent again. */
  isRepeated: boolean;
  /** True after the current request was sent again unchanged because its response differed. */
  isConfirmed: boolean;
  /**
   * Outcome of the current request before it was sent again unchanged to confirm a failure. This
   * remains the outcome of the call unless the request is then sent with other strings. Undefined
   * if no failure had to be confirmed.
   */
  unconfirmed: CallOutcome | undefined;
  /**
   * Outcome of the first attempt at the current request. Set only while the request is retried with
   * `${unique}` added to its strings.
   */
  first: CallOutcome | undefined;
  /**
   * True while the current request is being sent with a search term other than the recorded one.
   */
  isSearching: boolean;
}

/**
 * Creates the state at the start of an iteration. `waits` is the total number of times that all
 * users have waited so far.
 */
export function startIteration(
  iteration: number,
  texts: RequestTexts,
  waits: number,
): UserIteration {
  return {
    iteration,
    known: new KnownPairs(),
    steps: new Map(),
    traces: new Map(),
    diverged: false,
    attempts: new Map(),
    ended: new Set(),
    waits: 0,
    pause: 0,
    limitedBy: undefined,
    waitsBefore: waits,
    isFirst: true,
    isRepeated: false,
    isConfirmed: false,
    unconfirmed: undefined,
    sent: new SentRequests(texts),
    first: undefined,
    isSearching: false,
  };
}

/** Prepares the state for the next request of the iteration. */
export function endRequest(user: UserIteration): void {
  user.first = undefined;
  user.waits = 0;
  user.limitedBy = undefined;
  user.isRepeated = false;
  user.isConfirmed = false;
  user.unconfirmed = undefined;
}
