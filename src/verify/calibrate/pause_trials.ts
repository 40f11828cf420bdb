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

/** Maximum number of calls before which a pause is tried. */
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
 * Tries recorded pauses before calls that fail when the plan sends them at once. A read is repeated
 * after parts of its recorded pause. A write is never repeated for this reason: the next round
 * pauses before it.
 */
export class PauseTrials {
  readonly #draft: PlanDraft;
  /** Recorded pauses that the plan leaves out, in milliseconds, by index of the request. */
  readonly #recorded: ReadonlyMap<number, number>;
  readonly #log: CalibrationLog;
  readonly #tried = new Set<number>();
  readonly #active = new Map<number, NeededPause>();
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

  /** Ends the trial of a call whose response is as recorded. Later rounds pause before the call. */
  accept(index: number): void {
    if (this.#trial?.pause.index !== index) return;
    this.#activate(this.#trial.pause);
    this.#accepted++;
    this.#trial = undefined;
  }

  /**
   * Removes pauses before calls that still failed in a round, and selects writes before which the
   * next round pauses. Returns true if it selected a write.
   */
  propose(outcomes: readonly CallOutcome[]): boolean {
    const failures = this.#firstFailures(outcomes);
    for (const { index } of failures) {
      const pause = this.#active.get(index);
      if (pause !== undefined) this.#reject(pause);
    }
    const found = failures.filter(({ index }) => this.#isWrite(index))
      .flatMap((outcome) => this.#take(outcome.index, outcome) ?? []);
    found.forEach((pause) => this.#activate(pause));
    return found.length > 0;
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

  /** Returns the pause to try before a call, or undefined if there is none or it was tried before. */
  #take(index: number, outcome: CallOutcome): NeededPause | undefined {
    const ms = this.#recorded.get(index);
    const isUnclear = outcome.error !== undefined || outcome.rateLimit !== undefined;
    if (ms === undefined || isUnclear || this.#tried.has(index)) return undefined;
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
