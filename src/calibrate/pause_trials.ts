import { formatMs } from "../base/format.ts";
import { describeDifference } from "../outcome/difference.ts";
import type { CalibrationLog } from "./calibration_log.ts";
import type { AttemptRound, CallAttempts } from "./call_attempts.ts";
import { type CallOutcome, listFirstFailures } from "./call_outcome.ts";
import type { NeededPause } from "./needed_pause.ts";
import { PauseAlternation } from "./pause_alternation.ts";
import type { PlanDraft } from "./plan_draft.ts";
import { isWriteRequest } from "./write_budget.ts";

/**
 * Number of times that a write request must fail without its pause before the next round sends it
 * with the pause.
 */
const FEWEST_FAILED_WRITES = 2;
/**
 * Number of times that a read request must fail without its pause, and succeed after waiting,
 * before the pause is added to the plan.
 */
const FEWEST_FAILED_READS = 3;
/** Maximum number of calls before which a calibration tries a pause. */
const MOST_TRIALS = 8;
/**
 * Fractions of the recorded pause to wait before each repetition of a read request. Their sum is 1.
 */
const PARTS = [0.25, 0.25, 0.5] as const;

/**
 * Attempts to repeat a failed read request, each after waiting for a part of its recorded pause.
 */
interface Trial {
  readonly pause: NeededPause;
  /** Times to wait before each remaining attempt, in milliseconds. */
  readonly left: number[];
}

/**
 * Tries recorded pauses before calls that fail when the plan sends them immediately. Keeps a pause
 * only if attempts with and without it alternate, and only those without it fail. A failed read
 * request is sent again after parts of its recorded pause, in at least three iterations. A write
 * request is not repeated within an iteration. Instead, rounds send it without the pause, then with
 * it, and then alternately.
 */
export class PauseTrials {
  readonly #draft: PlanDraft;
  /** Lengths, in milliseconds, of the recorded pauses that the plan omits, by request index. */
  readonly #recorded: ReadonlyMap<number, number>;
  readonly #attempts: CallAttempts;
  readonly #alternation: PauseAlternation;
  readonly #log: CalibrationLog;
  readonly #tried = new Set<number>();
  /** Writes that were sent again in a separate round, because only some attempts failed. */
  readonly #compared = new Set<string>();
  readonly #active = new Map<number, NeededPause>();
  /** Calls that failed although the calibration paused before them. */
  readonly #rejected = new Set<number>();
  #load = "";
  #trial: Trial | undefined;
  #accepted = 0;

  constructor(
    draft: PlanDraft,
    recorded: ReadonlyMap<number, number>,
    attempts: CallAttempts,
    log: CalibrationLog,
  ) {
    this.#draft = draft;
    this.#recorded = recorded;
    this.#attempts = attempts;
    this.#alternation = new PauseAlternation(attempts);
    this.#log = log;
  }

  /** Pauses that the current round inserts. */
  get active(): NeededPause[] {
    return [...this.#active.values()];
  }

  /**
   * Number of times that a repeated read request got a response that matches the recording after
   * waiting.
   */
  get accepted(): number {
    return this.#accepted;
  }

  /** True while it is unknown whether a write needs the pause that is tried before it. */
  get isOpen(): boolean {
    return this.#alternation.isOpen;
  }

  /**
   * Reports whether attempts with and without the pause before a call have shown that the call
   * needs this pause.
   */
  isConfirmed(index: number): boolean {
    return this.#active.has(index) && !this.#alternation.isOpenAt(index);
  }

  /**
   * Returns the length, in milliseconds, of the recorded pause whose absence may explain why a call
   * failed. Returns undefined if the plan contains this pause, or if the call also failed after it
   * had been inserted.
   */
  possible(index: number): number | undefined {
    const failed = this.#rejected.has(index) || this.#attempts.hasFailedAfterPause(index);
    return failed ? undefined : this.#recorded.get(index);
  }

  /**
   * Prepares for a calibration round. In a round of two users in lockstep, each user runs two
   * iterations. For each write that may need its pause, one of these iterations omits the pause, to
   * show whether the write fails without it.
   */
  startRound({ load }: AttemptRound): void {
    this.#load = load;
    this.#alternation.startRound(load === "lock step");
  }

  /** Ends a round. If the round repaired requests, its results are not evidence about pauses. */
  endRound(outcomes: readonly CallOutcome[], isRepaired: boolean): void {
    if (isRepaired) return;
    for (const [index, finding] of this.#alternation.endRound()) {
      if (finding === "not needed") this.#drop(index);
    }
    this.#rejectFailed(outcomes);
  }

  /** Returns the pause to insert before a call, in milliseconds, or 0 for none. */
  before(index: number, iteration: number): number {
    return this.omits(index, iteration) ? 0 : this.#active.get(index)?.ms ?? 0;
  }

  /**
   * Reports whether the current round omits the pause before a call in an iteration, to show
   * whether the call needs it. Iterations start at 1.
   */
  omits(index: number, iteration: number): boolean {
    return this.#alternation.omits(index, iteration);
  }

  /**
   * Returns the time to wait before a failed read request is sent again, in milliseconds, or
   * undefined if it must not be sent again.
   */
  nextWait(index: number, outcome: CallOutcome): number | undefined {
    if (this.#trial?.pause.index !== index) {
      if (this.#isWrite(index)) return undefined;
      const pause = this.#take(index, outcome);
      if (pause === undefined) return undefined;
      this.#trial = { pause, left: PARTS.map((part) => Math.ceil(pause.ms * part)) };
    }
    const wait = this.#trial.left.shift();
    if (wait === undefined) this.#reject(this.#trial.pause);
    return wait;
  }

  /**
   * Ends the trial of a call whose response matches the recording. If the call has failed often
   * enough without its pause, later iterations pause before it. Otherwise, the pause can be tried
   * again the next time the call fails.
   */
  accept(index: number): void {
    if (this.#trial?.pause.index !== index) return;
    const { pause } = this.#trial;
    this.#trial = undefined;
    if (this.#attempts.withoutPause(index).some(({ isGood }) => isGood)) {
      return this.#attempts.markRandom(index);
    }
    this.#accepted++;
    if (this.#hasFailed(index, FEWEST_FAILED_READS)) this.#activate(pause);
    else this.#tried.delete(index);
  }

  /**
   * Adds the recorded pause before a call to the plan, because the server limited the rate (outcome
   * `limited`), and accepted the call after one wait.
   */
  limit(index: number, limited: CallOutcome | undefined): void {
    const ms = this.possible(index);
    if (ms === undefined || limited === undefined || this.#active.has(index)) return;
    const differences = limited.differences.map(describeDifference);
    this.#activate({ index, ms, differences });
  }

  /**
   * Selects writes that failed in a round. The next round sends them after a pause, or again
   * without one. Returns true if it selected a write.
   */
  propose(outcomes: readonly CallOutcome[]): boolean {
    const failures = listFirstFailures(outcomes, (index) => this.#isWrite(index));
    const found = failures.filter((outcome) => this.#isProposable(outcome));
    return found.map((outcome) => this.#select(outcome)).includes(true);
  }

  /** Reports whether a pause can still be tried before a failed write. */
  #isProposable(outcome: CallOutcome): boolean {
    return this.#isWrite(outcome.index) && this.#missing(outcome) !== undefined;
  }

  /**
   * Selects a failed write to send again in the next round, with or without a pause before it.
   * Returns false if the write was not selected.
   */
  #select(outcome: CallOutcome): boolean {
    const { index, user } = outcome;
    if (this.#hasFailed(index, FEWEST_FAILED_WRITES)) {
      const pause = this.#take(index, outcome);
      if (pause === undefined) return false;
      this.#alternation.add(index);
      this.#activate(pause);
      return true;
    }
    const key = `${this.#load} ${index}`;
    const failures = this.#attempts.withoutPause(index)
      .filter((one) => one.outcome.user === user && !one.isGood);
    // If every attempt of a user fails, the cause may be a conflict with the other users.
    if (failures.length !== 1) return false;
    if (this.#compared.has(key) || this.#tried.size >= MOST_TRIALS) return false;
    this.#compared.add(key);
    this.#log.add(
      index,
      "the response differs from the recording; sent again without its pause, for comparison",
    );
    return true;
  }

  /**
   * Reports whether a call was sent without its pause at least `fewest` times and failed each time.
   */
  #hasFailed(index: number, fewest: number): boolean {
    const attempts = this.#attempts.withoutPause(index);
    return attempts.length >= fewest && attempts.every(({ isGood }) => !isGood);
  }

  #isWrite(index: number): boolean {
    return isWriteRequest(this.#draft.at(index));
  }

  /** Returns the pause to try before a call, or undefined if no pause is left to try. */
  #take(index: number, outcome: CallOutcome): NeededPause | undefined {
    const ms = this.#missing(outcome);
    if (ms === undefined || this.#tried.size >= MOST_TRIALS) return undefined;
    this.#tried.add(index);
    return { index, ms, differences: outcome.differences.map(describeDifference) };
  }

  /**
   * Returns the length, in milliseconds, of the recorded pause whose absence may explain a failure.
   * Returns undefined if there is no such pause.
   */
  #missing({ index, error, rateLimit }: CallOutcome): number | undefined {
    const isUnclear = error !== undefined || rateLimit !== undefined;
    const isOver = this.#tried.has(index) || this.#attempts.isRandom(index);
    return isUnclear || isOver ? undefined : this.#recorded.get(index);
  }

  #activate(pause: NeededPause): void {
    this.#active.set(pause.index, pause);
    this.#log.add(
      pause.index,
      `without its pause of ${formatMs(pause.ms)}, the response differs from the recording`,
    );
  }

  /** Removes the pauses after which calls still failed. */
  #rejectFailed(outcomes: readonly CallOutcome[]): void {
    const iterations = Map.groupBy(outcomes, ({ user, iteration }) => `${user} ${iteration}`);
    for (const own of iterations.values()) {
      for (const { index, iteration } of listFirstFailures(own, (one) => this.#isWrite(one))) {
        const pause = this.#active.get(index);
        if (pause !== undefined && !this.omits(index, iteration)) this.#reject(pause);
      }
    }
  }

  #reject({ index, ms }: NeededPause): void {
    this.#trial = undefined;
    this.#rejected.add(index);
    this.#active.delete(index);
    this.#alternation.delete(index);
    this.#log.add(
      index,
      `the response still differs from the recording after a pause of ${formatMs(ms)}`,
    );
  }

  /** Removes the pause before a call that also succeeded without it. */
  #drop(index: number): void {
    this.#active.delete(index);
    this.#attempts.markRandom(index);
  }
}
