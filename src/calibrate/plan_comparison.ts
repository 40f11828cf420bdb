import type { DraftState } from "./draft.ts";
import type { RoundParts } from "./parts.ts";
import type { EndedRound, Rounds } from "./rounds.ts";

/** Number of runs of each plan that is compared with others. */
const TURNS = 2;

/**
 * Compares the repaired plan with others. One user runs them by turns, because only runs on the
 * same data are comparable. A plan is better at a call that works in all of its runs, and in no run
 * of the other plan. Any other difference may be random, or due to data that an earlier run
 * changed.
 */
export class PlanComparison {
  readonly #parts: RoundParts;
  readonly #rounds: Rounds;
  readonly #repaired: DraftState;
  readonly #runs = new Map<DraftState, EndedRound[]>();

  constructor(parts: RoundParts, rounds: Rounds, repaired: DraftState) {
    this.#parts = parts;
    this.#rounds = rounds;
    this.#repaired = repaired;
  }

  /**
   * Returns the plan that is better than the repaired one at the most calls, compared with the
   * calls at which it is worse: one of `others`, from the one with the most repairs to that with
   * the fewest, or the repaired plan without the repairs of the calls at which they are better.
   * Returns undefined if no plan is better, or if the target no longer allows a comparison.
   */
  async findBetter(others: ReadonlyMap<DraftState, string>): Promise<DraftState | undefined> {
    const { draft } = this.#parts;
    const better = await this.#runByTurns(others);
    const candidates = better.length === 0 ? [] : [...await this.#reduced(better), ...better];
    draft.restore(this.#repaired);
    const [best] = [this.#repaired, ...candidates].sort((a, b) => this.#gain(b) - this.#gain(a));
    return best === this.#repaired ? undefined : best;
  }

  /** Lists the calls at which a plan is better than the repaired one. */
  fixedBy(plan: DraftState): number[] {
    return this.#onlyGood(plan, this.#repaired);
  }

  lastRun(plan: DraftState): EndedRound {
    return this.#runs.get(plan)!.at(-1)!;
  }

  /** Runs the repaired plan and the others by turns. Returns those that are better at some call. */
  async #runByTurns(others: ReadonlyMap<DraftState, string>): Promise<DraftState[]> {
    const better = new Map(others);
    better.delete(this.#repaired);
    for (let turn = 1; turn <= TURNS && better.size > 0; turn++) {
      for (const [plan, name] of [[this.#repaired, "the repaired plan"] as const, ...better]) {
        if (!await this.#run(plan, name)) return [];
      }
      for (const plan of better.keys()) if (this.fixedBy(plan).length === 0) better.delete(plan);
    }
    return [...better.keys()];
  }

  /** Runs the repaired plan without the repairs that do harm. Returns it if all runs took place. */
  async #reduced(better: readonly DraftState[]): Promise<DraftState[]> {
    const { draft } = this.#parts;
    draft.restore(this.#repaired);
    // The plan with more repairs comes last, and wins.
    for (const plan of better.toReversed()) draft.take(this.fixedBy(plan), plan);
    const reduced = draft.save();
    for (let turn = 1; turn <= TURNS; turn++) {
      if (!await this.#run(reduced, "the plan without harmful repairs")) return [];
    }
    return [reduced];
  }

  /** Runs a plan once. Returns false if the target does not allow it. */
  async #run(plan: DraftState, name: string): Promise<boolean> {
    const { draft, target } = this.#parts;
    if (target.isOver || !target.mayRun(1)) return false;
    draft.restore(plan);
    const round = { name: "comparison", load: "one user" } as const;
    const ended = await this.#rounds.runUnrepaired(
      round,
      `1 user, 1 iteration, to compare: ${name}`,
    );
    this.#runs.getOrInsertComputed(plan, () => []).push(ended);
    return true;
  }

  #gain(plan: DraftState): number {
    return this.fixedBy(plan).length - this.#onlyGood(this.#repaired, plan).length;
  }

  /** Lists the calls that work in all runs of one plan and in no run of another. */
  #onlyGood(plan: DraftState, other: DraftState): number[] {
    const { attempts } = this.#parts;
    const [first, ...more] = this.#runs.get(plan)!.map((round) => attempts.matchingCalls([round]));
    const good = more.reduce((all, one) => all.intersection(one), first);
    return [...good.difference(attempts.matchingCalls(this.#runs.get(other)!))]
      .sort((a, b) => a - b);
  }
}
