import type { CallAttempts } from "./call_attempts.ts";

/** Whether a call needs the pause before it, as shown by sending it with and without the pause. */
export type PauseFinding = "needed" | "not needed" | "unknown";

/**
 * Determines whether writes need their pauses. In a round of two users with two iterations, each
 * user sends the write once with its pause and once without it. The iteration that omits the pause
 * alternates from write to write, because a failed write makes the rest of its iteration useless as
 * evidence.
 */
export class PauseAlternation {
  readonly #attempts: CallAttempts;
  /** Indexes of the writes for which no round has shown yet whether they need their pause. */
  readonly #open = new Set<number>();
  /**
   * One-based number of the iteration in which the current round leaves out the pause before a
   * call, keyed by the index of the call.
   */
  #omitted: ReadonlyMap<number, number> = new Map();

  constructor(attempts: CallAttempts) {
    this.#attempts = attempts;
  }

  /** True while it is unknown for at least one write whether it needs its pause. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Returns true until a round has shown whether the write at `index` needs its pause. */
  isOpenAt(index: number): boolean {
    return this.#open.has(index);
  }

  /** Adds a write. Later rounds determine whether it needs its pause. */
  add(index: number): void {
    this.#open.add(index);
  }

  /** Removes a write whose pause is no longer tried. */
  delete(index: number): void {
    this.#open.delete(index);
  }

  /**
   * Prepares for a round. If `isAlternating`, which requires two users in lockstep, the round
   * sends each write with its pause in one iteration and without it in the other.
   */
  startRound(isAlternating: boolean): void {
    const open = isAlternating ? [...this.#open].sort((a, b) => a - b) : [];
    this.#omitted = new Map(open.map((index, i) => [index, i % 2 + 1]));
  }

  /** Reports whether the current round leaves out the pause before a call in an iteration. */
  omits(index: number, iteration: number): boolean {
    return this.#omitted.get(index) === iteration;
  }

  /** Ends a round. Returns the finding about each pause that the round omitted. */
  endRound(): Map<number, PauseFinding> {
    const found = new Map<number, PauseFinding>();
    for (const index of this.#omitted.keys()) {
      const finding = this.#judge(index);
      found.set(index, finding);
      if (finding !== "unknown") this.#open.delete(index);
    }
    return found;
  }

  #judge(index: number): PauseFinding {
    const all = this.#attempts.inRound(index);
    const without = all.filter(({ pause }) => pause === 0);
    const paused = all.filter(({ pause }) => pause > 0);
    if (without.some(({ isGood }) => isGood)) return "not needed";
    const isShown = without.length > 0 && paused.length > 0;
    return isShown && paused.every(({ isGood }) => isGood) ? "needed" : "unknown";
  }
}
