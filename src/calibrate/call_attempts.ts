import { describeDifference } from "../outcome/difference.ts";
import type { CalibrationLog } from "./calibration_log.ts";
import type { CallOutcome } from "./call_outcome.ts";

/** A call that failed at random: it both failed and succeeded although the plan did not change. */
export interface RandomFailure {
  /** Zero-based index of the call. */
  readonly index: number;
  /** Number of `attempts` whose response matched the recording. */
  readonly succeeded: number;
  /**
   * Number of attempts at the call that are comparable with the first failed attempt, because
   * changes to the plan between them cannot explain different results.
   */
  readonly attempts: number;
  /** Name of the round with the first failed attempt, such as `pass 1`. */
  readonly round: string;
  /** One-based number of the user who made the first failed attempt. */
  readonly user: number;
  /** One-based number of the iteration with the first failed attempt. */
  readonly iteration: number;
  /** Differences between the recorded response and the response to the first failed attempt. */
  readonly differences: readonly string[];
  /** Reason why the first failed attempt got no response. */
  readonly error?: string;
  /** Length, in milliseconds, of the recorded pause before the call, which the attempts omitted. */
  readonly pause?: number;
}

/** Load of a round: one user, two users in lockstep, or two staggered users. */
export type Load = "one user" | "lock step" | "staggered";

/**
 * A round in which calls are attempted. Attempts are compared only between rounds with the same
 * load.
 */
export interface AttemptRound {
  /** Name in reports, such as `pass 1`. */
  readonly name: string;
  readonly load: Load;
}

/**
 * An attempt to send a call. Its result does not follow from an earlier call of the same iteration,
 * such as one that failed.
 */
export interface Attempt {
  readonly outcome: CallOutcome;
  readonly isGood: boolean;
  /** True for the first attempt at the request in its iteration. */
  readonly isFirst: boolean;
  /** Pause that the calibration inserted before the request, in milliseconds. */
  readonly pause: number;
  /** Identifies everything that the response may depend on; see `SentRequests.related`. */
  readonly related: string;
  /**
   * Extractors of the request, as JSON. Undefined if the response differed from the recorded one.
   * Even if the response matches, the attempt fails if an extractor finds nothing.
   */
  readonly extractors?: string;
}

interface KnownAttempt extends Attempt {
  readonly round: AttemptRound;
}

/**
 * Attempts at each call in all rounds. A call fails at random if one attempt fails and a later
 * attempt by the same user succeeds, unless an edit of the plan or a different load may explain the
 * success.
 */
export class CallAttempts {
  /** Lengths, in milliseconds, of the recorded pauses that the plan omits, by request index. */
  readonly #pauses: ReadonlyMap<number, number>;
  readonly #log: CalibrationLog;
  readonly #attempts = new Map<number, KnownAttempt[]>();
  /** The first failed attempt at each call that failed at random. */
  readonly #random = new Map<number, KnownAttempt>();
  #round: AttemptRound = { name: "", load: "one user" };

  constructor(pauses: ReadonlyMap<number, number>, log: CalibrationLog) {
    this.#pauses = pauses;
    this.#log = log;
  }

  startRound(round: AttemptRound): void {
    this.#round = round;
  }

  /**
   * Adds an attempt. `isDelayed` is true if another user's wait delayed the call. A success then
   * does not show that the call succeeds without its recorded pause. Ignores requests that were not
   * sent, and responses that enforce a rate limit. Also ignores repetitions of calls with a
   * recorded pause, because more time passed before them.
   */
  add(attempt: Attempt, isDelayed: boolean): void {
    const { outcome, isGood, isFirst, pause } = attempt;
    const { index, unsent, rateLimit } = outcome;
    if (unsent !== undefined || rateLimit !== undefined) return;
    if (this.#pauses.has(index) && (!isFirst || (isGood && isDelayed && pause === 0))) return;
    const known = { ...attempt, round: this.#round };
    const before = this.#of(index);
    this.#attempts.set(index, [...before, known]);
    const failure = isGood ? before.find((one) => this.#isContrary(one, known)) : undefined;
    if (failure !== undefined) this.#mark(failure);
  }

  /**
   * Returns the attempts at a call without its pause that are comparable with the latest such
   * attempt: they were made under the load of the current round, and the plan was in the same
   * state.
   */
  withoutPause(index: number): readonly Attempt[] {
    const found = this.#of(index).filter(({ outcome, pause, round }) =>
      outcome.error === undefined && pause === 0 && round.load === this.#round.load
    );
    return found.filter((one) => isComparable(one, found.at(-1)!));
  }

  /** Attempts at a call in the current round. */
  inRound(index: number): readonly Attempt[] {
    return this.#of(index).filter(({ round }) => round === this.#round);
  }

  /** Marks a call as failing at random, because an attempt without its pause succeeded. */
  markRandom(index: number): void {
    const failure = this.#of(index).find(({ isGood, pause }) => !isGood && pause === 0);
    if (failure !== undefined) this.#mark(failure);
  }

  isRandom(index: number): boolean {
    return this.#random.has(index);
  }

  /** Calls that failed at random. */
  get random(): RandomFailure[] {
    return [...this.#random.values()].map((failure) => this.#describe(failure));
  }

  /**
   * Failures in the current round that may be random: the user's call has failed only once under
   * the current load, so another round must show whether it fails again.
   */
  get open(): CallOutcome[] {
    return [...this.#attempts].filter(([index]) => !this.#random.has(index)).flatMap(([, all]) =>
      [...Map.groupBy(all, ({ outcome }) => outcome.user).values()].flatMap((own) => {
        const last = own.at(-1)!;
        const equal = own.filter((one) =>
          one.related === last.related && one.round.load === this.#round.load
        );
        const isOpen = !last.isGood && last.round === this.#round &&
          equal.filter(({ isFirst, isGood }) => isFirst && !isGood).length === 1;
        return isOpen ? [last.outcome] : [];
      })
    );
  }

  /** Reports whether a call failed although the calibration inserted its pause. */
  hasFailedAfterPause(index: number): boolean {
    return this.#of(index).some(({ isGood, pause }) => !isGood && pause > 0);
  }

  #of(index: number): readonly KnownAttempt[] {
    return this.#attempts.get(index) ?? [];
  }

  /**
   * Reports whether one attempt failed and a later one succeeded although neither an edit nor a
   * different load explains the difference.
   */
  #isContrary(failed: KnownAttempt, good: KnownAttempt): boolean {
    const isSameUser = failed.outcome.user === good.outcome.user;
    if (failed.isGood || !isSameUser || !isComparable(failed, good)) return false;
    // Users in lockstep may interfere with each other, so a success of staggered users does not
    // contradict their failure.
    return failed.round.load === good.round.load || failed.round.load === "one user";
  }

  #mark(failure: KnownAttempt): void {
    const { index } = failure.outcome;
    if (this.#random.has(index)) return;
    this.#random.set(index, failure);
    const { succeeded, attempts } = this.#describe(failure);
    this.#log.add(
      index,
      `fails at random: succeeded in ${succeeded} of ${attempts} attempts with the same plan`,
    );
  }

  #describe(failure: KnownAttempt): RandomFailure {
    const { outcome: { index, user, iteration, differences, error }, round } = failure;
    const equal = this.#of(index).filter((one) => isComparable(one, failure));
    const missing = failure.pause === 0 ? this.#pauses.get(index) : undefined;
    return {
      index,
      succeeded: equal.filter(({ isGood }) => isGood).length,
      attempts: equal.length,
      round: round.name,
      user,
      iteration,
      differences: differences.map(describeDifference),
      ...(error !== undefined && { error }),
      ...(missing !== undefined && { pause: missing }),
    };
  }
}

/**
 * Reports whether the plan was in the same state for two attempts, apart from parts that cannot
 * affect their results.
 */
function isComparable(one: Attempt, other: Attempt): boolean {
  if (one.related !== other.related) return false;
  const isRead = one.extractors !== undefined && other.extractors !== undefined;
  return !isRead || one.extractors === other.extractors;
}
