import { formatMs } from "../../base/duration.ts";
import { requestMethod } from "../../plan/kinds/steps/request_name.ts";
import { describeDifference } from "../../traffic/compare/response_difference.ts";
import type { CalibrationLog } from "./calibration_log.ts";
import { type CallOutcome, isAsRecorded, isSessionLost } from "./call_outcome.ts";
import type { PlanDraft } from "./plan_draft.ts";
import { isWrite } from "./write_budget.ts";

/** A recorded pause without which a call failed. */
export interface NeededPause {
  /** Zero-based index of the call after the pause. */
  readonly index: number;
  /** Length of the pause in whole milliseconds. */
  readonly ms: number;
  /** Differences between the recorded response and the response without the pause. */
  readonly differences: readonly string[];
}

/** A call that failed at random: it also succeeded without its recorded pause. */
export interface RandomFailure {
  /** Zero-based index of the call. */
  readonly index: number;
  /** Length of the recorded pause in whole milliseconds. */
  readonly ms: number;
  /** Number of attempts without the pause whose response was as recorded. */
  readonly succeeded: number;
  /** Total number of attempts without the pause. */
  readonly attempts: number;
  /** Differences between the recorded response and the first failed one. */
  readonly differences: readonly string[];
}

/**
 * The first attempt at a call in each iteration without the recorded pause, in all rounds with the
 * same load.
 */
interface Attempts {
  /** Results in the order in which the requests were sent. */
  readonly results: { readonly user: number; readonly isGood: boolean }[];
  /** The first failed attempt. */
  failure?: CallOutcome;
}

/**
 * Number of iterations in which a call must fail without its pause before the pause is added to the
 * plan.
 */
const FEWEST_FAILURES = 2;
/** Maximum number of calls for which a pause is tried. */
const MOST_TRIALS = 8;
/** Parts of the recorded pause after which a read is repeated. Their sum is 1. */
const PARTS = [0.25, 0.25, 0.5] as const;

/** A read that is repeated after waiting. */
interface Trial {
  readonly pause: NeededPause;
  /** Times to wait before each remaining attempt, in milliseconds. */
  readonly left: number[];
}

/**
 * Tries recorded pauses before calls that fail when the plan sends them immediately. A call gets
 * its pause only if it failed without the pause in at least two iterations. It must also never have
 * succeeded without the pause in rounds with the same load. A read is also repeated after parts of
 * its recorded pause. A write is never repeated for this reason: the next round sends it without
 * the pause again, and the round after that pauses before it.
 */
export class PauseTrials {
  readonly #draft: PlanDraft;
  /** Recorded pauses that the plan leaves out, in milliseconds, by index of the request. */
  readonly #recorded: ReadonlyMap<number, number>;
  readonly #log: CalibrationLog;
  readonly #tried = new Set<number>();
  /** Calls that were sent again in a separate round, because only some attempts failed. */
  readonly #compared = new Set<string>();
  readonly #active = new Map<number, NeededPause>();
  /** Attempts by load and index of the call. */
  readonly #attempts = new Map<string, Attempts>();
  readonly #random = new Map<number, RandomFailure>();
  #load = "";
  #trial: Trial | undefined;
  #accepted = 0;

  constructor(draft: PlanDraft, recorded: ReadonlyMap<number, number>, log: CalibrationLog) {
    this.#draft = draft;
    this.#recorded = recorded;
    this.#log = log;
  }

  /** Pauses that the current round inserts. */
  get active(): NeededPause[] {
    return [...this.#active.values()];
  }

  /** Number of reads whose response was as recorded when they were repeated after waiting. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Calls that failed at random. */
  get random(): RandomFailure[] {
    return [...this.#random.values()];
  }

  /**
   * Prepares for a round. `load` describes its users, such as `2 staggered`. Attempts are compared
   * only between rounds with the same load.
   */
  startRound(load: string): void {
    this.#load = load;
  }

  /**
   * Ends a round. If the round repaired requests, discards the earlier attempts, because the next
   * round sends different requests.
   */
  endRound(isRepaired: boolean): void {
    if (isRepaired) return this.#attempts.clear();
    for (const index of this.#recorded.keys()) {
      if (hasRecovered(this.#attemptsAt(index))) this.#markRandom(index);
    }
  }

  /**
   * Counts the first attempt at a call in an iteration, if no pause preceded it. `isDelayed` is
   * true if another user's wait delayed the call. A success is then ignored, because the delay may
   * have caused it.
   */
  observe(outcome: CallOutcome, isGood: boolean, isDelayed: boolean): void {
    const { user, index } = outcome;
    if (isGood && isDelayed) return;
    if (this.before(index) > 0 || !this.#recorded.has(index) || isUnclear(outcome)) return;
    const attempts = this.#attemptsAt(index);
    attempts.results.push({ user, isGood });
    if (!isGood) attempts.failure ??= outcome;
  }

  /** Returns the pause to insert before a call, in milliseconds, or 0 for none. */
  before(index: number): number {
    return this.#active.get(index)?.ms ?? 0;
  }

  /**
   * Returns the time to wait before a failed read is sent again, in milliseconds, or undefined if
   * it must not be sent again.
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
   * Ends the trial of a call whose response is as recorded. Later iterations pause before the call
   * if it failed without the pause often enough. Otherwise, another round must send it again.
   */
  accept(index: number): void {
    if (this.#trial?.pause.index !== index) return;
    const { pause } = this.#trial;
    this.#trial = undefined;
    if (this.#attemptsAt(index).results.some(({ isGood }) => isGood)) {
      return this.#markRandom(index);
    }
    this.#accepted++;
    if (this.#isEnough(index)) this.#activate(pause);
    else this.#tried.delete(index);
  }

  /** Removes pauses before calls that still failed in a round. */
  rejectFailed(outcomes: readonly CallOutcome[]): void {
    for (const { index } of this.#firstFailures(outcomes)) {
      const pause = this.#active.get(index);
      if (pause !== undefined) this.#reject(pause);
    }
  }

  /**
   * Selects writes that failed in a round and that the next round sends after a pause, or again
   * without one. Returns true if it selected a write.
   */
  propose(outcomes: readonly CallOutcome[]): boolean {
    const failures = this.#firstFailures(outcomes);
    const found = failures.filter((outcome) => this.#isOpen(outcome));
    return found.map((outcome) => this.#select(outcome)).includes(true);
  }

  /** Reports whether a failed write can still get its pause. */
  #isOpen(outcome: CallOutcome): boolean {
    const { index } = outcome;
    return this.#isWrite(index) && this.#recorded.has(index) && !isUnclear(outcome) &&
      !this.#tried.has(index) && !this.#random.has(index);
  }

  /** Pauses before a write, or sends it again without a pause. Returns true if it did either. */
  #select(outcome: CallOutcome): boolean {
    const { index } = outcome;
    if (this.#isEnough(index)) {
      const pause = this.#take(index, outcome);
      if (pause !== undefined) this.#activate(pause);
      return pause !== undefined;
    }
    const key = this.#key(index);
    const { results } = this.#attemptsAt(index);
    const failures = results.filter(({ user, isGood }) => user === outcome.user && !isGood);
    // A user for whom every attempt fails is in conflict with the others, for example.
    if (failures.length !== 1) return false;
    if (this.#compared.has(key) || this.#tried.size >= MOST_TRIALS) return false;
    this.#compared.add(key);
    this.#log.add(index, "not as recorded; sent again without its pause to compare");
    return true;
  }

  #key(index: number): string {
    return `${this.#load} ${index}`;
  }

  #attemptsAt(index: number): Attempts {
    const key = this.#key(index);
    const attempts = this.#attempts.get(key) ?? { results: [] };
    this.#attempts.set(key, attempts);
    return attempts;
  }

  /**
   * Reports whether the attempts without a pause show clearly enough that a call needs its pause.
   */
  #isEnough(index: number): boolean {
    const { results } = this.#attemptsAt(index);
    return results.length >= FEWEST_FAILURES && !results.some(({ isGood }) => isGood);
  }

  #markRandom(index: number): void {
    const { results, failure } = this.#attemptsAt(index);
    const succeeded = results.filter(({ isGood }) => isGood).length;
    const attempts = results.length;
    this.#random.set(index, {
      index,
      ms: this.#recorded.get(index)!,
      succeeded,
      attempts,
      differences: failure?.differences.map(describeDifference) ?? [],
    });
    this.#log.add(
      index,
      `succeeded in ${succeeded} of ${attempts} attempts without its pause: fails at random`,
    );
  }

  /**
   * Returns the first failure of each call. Omits failures that an earlier failure in the same
   * iteration explains.
   */
  #firstFailures(outcomes: readonly CallOutcome[]): CallOutcome[] {
    const lost = new Set<string>();
    const first = new Map<number, CallOutcome>();
    for (const outcome of outcomes) {
      const { user, iteration, index } = outcome;
      const key = `${user} ${iteration}`;
      if (isAsRecorded(outcome) || lost.has(key)) continue;
      if (isSessionLost(outcome, this.#isWrite(index))) lost.add(key);
      if (!first.has(index)) first.set(index, outcome);
    }
    return [...first.values()];
  }

  #isWrite(index: number): boolean {
    return isWrite(requestMethod(this.#draft.at(index)));
  }

  /**
   * Returns the pause to try before a call, or undefined if there is none or it was tried before.
   */
  #take(index: number, outcome: CallOutcome): NeededPause | undefined {
    const ms = this.#recorded.get(index);
    if (ms === undefined || isUnclear(outcome) || this.#tried.has(index)) return undefined;
    if (this.#random.has(index)) return undefined;
    if (this.#tried.size >= MOST_TRIALS) return undefined;
    this.#tried.add(index);
    return { index, ms, differences: outcome.differences.map(describeDifference) };
  }

  #activate(pause: NeededPause): void {
    this.#active.set(pause.index, pause);
    this.#log.add(pause.index, `not as recorded without its pause of ${formatMs(pause.ms)}`);
  }

  #reject({ index, ms }: NeededPause): void {
    this.#trial = undefined;
    this.#active.delete(index);
    this.#log.add(index, `not as recorded after a pause of ${formatMs(ms)} either`);
  }
}

/** Reports whether any user succeeded after a failed attempt. */
function hasRecovered({ results }: Attempts): boolean {
  return results.some(({ user, isGood }, i) =>
    !isGood && results.slice(i).some((later) => later.user === user && later.isGood)
  );
}

/**
 * Reports whether an outcome does not count as evidence, because the server sent no response or
 * limited the rate.
 */
function isUnclear({ error, rateLimit }: CallOutcome): boolean {
  return error !== undefined || rateLimit !== undefined;
}
