import { durationMs, formatMs } from "../base/format.ts";
import { describeDifference } from "../outcome/difference.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import type { ThinkTime } from "../plan/values/values.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Attempt, Attempts, CallOutcome, Round } from "./attempts.ts";
import { listFirstFailures } from "./reasons.ts";
import type { FailedCall, RepairRound, Trial, TrialKind } from "./trial.ts";
import type { PlanDraft } from "./draft.ts";

/** A recorded pause without which a call failed. */
export interface NeededPause {
  readonly index: number;
  readonly ms: number;
  readonly differences: readonly string[];
}

const LONGEST_PAUSE_MS = 30_000;
/** Shortest recorded pause whose absence can cause a call to fail, in milliseconds. */
const SHORTEST_PAUSE_MS = 50;
/** Failures without the pause, of a write, before the next round sends it with the pause. */
const FEWEST_FAILED_WRITES = 2;
/** Failures without the pause, of a read that then succeeds, before the pause is kept. */
const FEWEST_FAILED_READS = 3;
const MOST_PAUSES = 8;
/** Fractions of the recorded pause to wait before each repetition of a read. Their sum is 1. */
const PARTS = [0.25, 0.25, 0.5] as const;

/**
 * Tries recorded pauses before calls that fail when the plan sends them immediately. Keeps a pause
 * only if attempts with and without it alternate, and only those without it fail. A failed read is
 * sent again after parts of its recorded pause, in at least three iterations. A write is not
 * repeated within an iteration. Instead, rounds send it without the pause, then with it, and then
 * in a round of two users each user sends it once with the pause and once without.
 */
export class PauseTrials implements TrialKind {
  readonly #draft: PlanDraft;
  readonly #attempts: Attempts;
  readonly #tried = new Set<number>();
  readonly #compared = new Set<string>();
  readonly #active = new Map<number, NeededPause>();
  /** Writes for which no round has shown yet whether they need the pause that is tried. */
  readonly #undecided = new Set<number>();
  /** Number of the iteration in which the current round leaves out the pause before a write. */
  #omitted: ReadonlyMap<number, number> = new Map();
  readonly #rejected = new Set<number>();
  #load = "";
  /** Number of times that a read got the recorded response after waiting. */
  accepted = 0;

  constructor(draft: PlanDraft, attempts: Attempts) {
    this.#draft = draft;
    this.#attempts = attempts;
  }

  get active(): NeededPause[] {
    return [...this.#active.values()];
  }

  get isUndecided(): boolean {
    return this.#undecided.size > 0;
  }

  /** Reports whether attempts have shown that a call needs the pause before it. */
  isConfirmed(index: number): boolean {
    return this.#active.has(index) && !this.#undecided.has(index);
  }

  /**
   * Returns the length, in milliseconds, of the recorded pause whose absence may explain why a call
   * failed. Returns undefined if the plan contains this pause, or if the call also failed after it
   * had been inserted.
   */
  possible(index: number): number | undefined {
    const failed = this.#rejected.has(index) || this.#attempts.hasFailedAfterPause(index);
    return failed ? undefined : this.#attempts.missing.get(index);
  }

  /** Prepares for a round. A failed write makes the rest of its iteration useless as evidence. */
  startRound({ load }: Round): void {
    this.#load = load;
    const undecided = load === "lock step" ? [...this.#undecided].sort((a, b) => a - b) : [];
    this.#omitted = new Map(undecided.map((index, i) => [index, i % 2 + 1]));
  }

  /** Ends a round. If the round repaired requests, its results are not evidence about pauses. */
  endRound({ outcomes, isRepaired }: RepairRound): void {
    if (isRepaired()) return;
    for (const index of this.#omitted.keys()) {
      const all = this.#attempts.inRound(index);
      const [without, paused] = [0, 1].map((sign) =>
        all.filter(({ pause }) => Math.sign(pause) === sign)
      );
      const isNeedless = without.some(({ succeeded }) => succeeded);
      const isShown = without.length > 0 && paused.length > 0;
      if (isNeedless || isShown && paused.every(({ succeeded }) => succeeded)) {
        this.#undecided.delete(index);
      }
      if (!isNeedless) continue;
      this.#active.delete(index);
      this.#attempts.markRandom(index);
    }
    const iterations = Map.groupBy(outcomes, ({ user, iteration }) => `${user} ${iteration}`);
    for (const own of iterations.values()) {
      for (const { index, iteration } of listFirstFailures(own, this.#draft)) {
        const pause = this.#active.get(index);
        if (pause !== undefined && !this.#omits(index, iteration)) this.#reject(pause);
      }
    }
  }

  before(index: number, iteration: number): number {
    return this.#omits(index, iteration) ? 0 : this.#active.get(index)?.ms ?? 0;
  }

  /** Reports whether the round omits the pause before a call to show whether it is needed. */
  #omits(index: number, iteration: number): boolean {
    return this.#omitted.get(index) === iteration;
  }

  provoked({ outcome: { index, iteration }, succeeded }: Attempt): boolean {
    return !succeeded && this.#omits(index, iteration);
  }

  /**
   * Proposes to wait before a failed read is sent again. If the read has failed often enough
   * without its pause, later iterations pause before it.
   */
  *propose({ outcome }: FailedCall): Generator<Trial> {
    const { index } = outcome;
    const pause = this.#draft.isWrite(index) ? undefined : this.#take(outcome);
    if (pause === undefined) return;
    const keep = () => {
      if (this.#attempts.withoutPause(index).some(({ succeeded }) => succeeded)) {
        return this.#attempts.markRandom(index);
      }
      this.accepted++;
      if (this.#hasFailed(index, FEWEST_FAILED_READS)) this.#activate(pause);
      else this.#tried.delete(index);
    };
    for (const part of PARTS) {
      const waitMs = Math.ceil(pause.ms * part);
      yield { what: `a wait of ${formatMs(waitMs)}`, waitMs, keep };
    }
    this.#reject(pause);
  }

  /**
   * Adds the recorded pause before a call to the plan, because the server limited the rate (outcome
   * `limited`), and accepted the call after one wait.
   */
  limit(index: number, limited: CallOutcome | undefined): void {
    const ms = this.possible(index);
    if (ms === undefined || limited === undefined || this.#active.has(index)) return;
    this.#activate({ index, ms, differences: limited.differences.map(describeDifference) });
  }

  /**
   * Selects writes that failed in a round. The next round sends them after a pause, or again
   * without one. Returns true if it selected a write.
   */
  selectWrites(outcomes: readonly CallOutcome[]): boolean {
    return listFirstFailures(outcomes, this.#draft)
      .filter((outcome) =>
        this.#draft.isWrite(outcome.index) && this.#missing(outcome) !== undefined
      )
      .map((outcome) => this.#select(outcome)).includes(true);
  }

  /** Selects a failed write to send again in the next round. Returns false if it does not. */
  #select(outcome: CallOutcome): boolean {
    const { index, user } = outcome;
    if (this.#hasFailed(index, FEWEST_FAILED_WRITES)) {
      const pause = this.#take(outcome);
      if (pause === undefined) return false;
      this.#undecided.add(index);
      this.#activate(pause);
      return true;
    }
    const key = `${this.#load} ${index}`;
    const failures = this.#attempts.withoutPause(index)
      .filter((attempt) => attempt.outcome.user === user && !attempt.succeeded);
    // If every attempt of a user fails, the cause may be a conflict with the other users.
    if (failures.length !== 1) return false;
    if (this.#compared.has(key) || this.#tried.size >= MOST_PAUSES) return false;
    this.#compared.add(key);
    this.#draft.explain(
      index,
      "the response differs from the recording; sent again without its pause, for comparison",
    );
    return true;
  }

  /**
   * Reports whether a call was sent without its pause at least `fewest` times, and always failed.
   */
  #hasFailed(index: number, fewest: number): boolean {
    const attempts = this.#attempts.withoutPause(index);
    return attempts.length >= fewest && attempts.every(({ succeeded }) => !succeeded);
  }

  /** Returns the pause to try before a call, or undefined if no pause is left to try. */
  #take(outcome: CallOutcome): NeededPause | undefined {
    const { index, differences } = outcome;
    const ms = this.#missing(outcome);
    if (ms === undefined || this.#tried.size >= MOST_PAUSES) return undefined;
    this.#tried.add(index);
    return { index, ms, differences: differences.map(describeDifference) };
  }

  #missing({ index, error, rateLimit, newFields, differences }: CallOutcome): number | undefined {
    // A link that changed another object would change one more.
    const isOther = (error ?? rateLimit ?? newFields) !== undefined ||
      differences.some(({ kind }) => kind === "message");
    const isOver = this.#tried.has(index) || this.#attempts.isRandom(index);
    return isOther || isOver ? undefined : this.#attempts.missing.get(index);
  }

  #activate(pause: NeededPause): void {
    this.#active.set(pause.index, pause);
    this.#draft.explain(
      pause.index,
      `without its pause of ${formatMs(pause.ms)}, the response differs from the recording`,
    );
  }

  #reject({ index, ms }: NeededPause): void {
    this.#rejected.add(index);
    this.#active.delete(index);
    this.#undecided.delete(index);
    this.#draft.explain(
      index,
      `the response still differs from the recording after a pause of ${formatMs(ms)}`,
    );
  }
}

/**
 * Returns the recorded pauses that a plan leaves out, in whole milliseconds, by index of the
 * request. The pause before a call starts at the end of the last write, because the server may
 * still be processing it, or at the end of the preceding call if no write precedes it. The think
 * times of the plan count as part of the pause. Omits pauses below 50 ms, and shortens those above
 * 30 s. Omits requests that a `retry` step repeats.
 */
export function findMissingPauses(plan: Plan, draft: PlanDraft): Map<number, number> {
  const missing = new Map<number, number>();
  for (const { flow } of Object.values(plan.scenarios)) {
    /** The recorded call after which a pause starts, and the plan's think times since then. */
    let last: { endedAt: number; isWrite: boolean; planned: number } | undefined;
    for (const { think_time, request } of listSteps(flow)) {
      if (think_time !== undefined && last !== undefined) last.planned += typicalMs(think_time);
      const index = request === undefined ? undefined : draft.given.indexOf(request);
      const step = index === undefined ? undefined : draft.recorded.at(index);
      if (index === undefined || step === undefined) continue;
      const { startedAt, endedAt } = step.exchange;
      const pause = last === undefined ? 0 : Math.round(startedAt - last.endedAt - last.planned);
      const isRepeated = draft.given.repeatedAt(index) !== undefined; // A `retry` step has its own pauses.
      if (!isRepeated && pause >= SHORTEST_PAUSE_MS) {
        missing.set(index, Math.min(pause, LONGEST_PAUSE_MS));
      }
      const isWrite = draft.isWrite(index);
      if (isWrite || !last?.isWrite) last = { endedAt, planned: 0, isWrite };
    }
  }
  return missing;
}

function typicalMs(pause: ThinkTime): number {
  if (typeof pause !== "object") return durationMs(pause) ?? 0;
  switch (pause.type) {
    case "constant":
      return durationMs(pause.duration) ?? 0;
    case "uniform":
      return ((durationMs(pause.min) ?? 0) + (durationMs(pause.max) ?? 0)) / 2;
    case "gaussian":
      return durationMs(pause.mean) ?? 0;
  }
}
