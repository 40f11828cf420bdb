import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { type AimedPlan, collapseDefaultHeaders, inlineDefaultHeaders } from "./aimed_plan.ts";
import { matchesRecording, MOST_PASSES, MOST_PROVING_ROUNDS, PROVING_LOAD } from "./attempts.ts";
import type { CalibratedPlan, Calibration, CalibrationOptions } from "./calibration.ts";
import type { DraftState } from "./draft.ts";
import { insertPauses, moveOverlapped } from "./flow_edits.ts";
import { listRepairs, mayBeConflict, reportOn } from "./report.ts";
import { createParts, type RoundParts } from "./parts.ts";
import { type EndedRound, Rounds } from "./rounds.ts";
import { listConstants } from "./variable_watch.ts";

/**
 * Runs a plan against a live application, compares each response with the recorded one, and repairs
 * the plan based on the differences. Throws InputError if the plan cannot run.
 */
export async function calibratePlan(
  { plan: aimed, recorded: origin, target }: AimedPlan,
  recording: Recording,
  options: CalibrationOptions,
): Promise<CalibratedPlan> {
  const { plan: given, moved } = moveOverlapped(aimed, recording);
  const plan = inlineDefaultHeaders(given);
  const parts = createParts(plan, recording, { recorded: origin, target }, options);
  const calibrator = new Calibrator(parts);
  await calibrator.run();
  const report = calibrator.report();
  if (report.kept === "given") {
    const calibration = { ...report, ...NO_REPAIRS };
    return { calibration, plan: aimed, unpaused: aimed, edits: 0 };
  }
  const calibration = { ...report, moved };
  const { pauses } = calibration;
  const unpaused = collapseDefaultHeaders(calibrator.calibratedPlan(calibration), given);
  return {
    calibration,
    plan: insertPauses(unpaused, pauses),
    unpaused,
    edits: parts.draft.edits + pauses.length + moved.length,
  };
}

const NO_REPAIRS = { extracted: [], received: [], unique: [], pauses: [], moved: [], removed: [] };

class Calibrator {
  readonly #parts: RoundParts;
  readonly #rounds: Rounds;
  #kept: Calibration["kept"];
  #discarded: Calibration["discarded"];

  constructor(parts: RoundParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(parts);
  }

  get #last(): EndedRound {
    return this.#rounds.ended.at(-1)!;
  }

  async run(): Promise<void> {
    const given = this.#parts.draft.save();
    await this.#repair();
    if (!this.#parts.target.isOver) await this.#keepBest(given);
    if (this.#kept === "given") return;
    this.#keepValid(given);
    await this.#proveReduced();
    const { repairs: { variables }, attempts, options } = this.#parts;
    variables.removeUnused(given);
    if (options.keepConstants) return;
    const provingRounds = this.#rounds.ended.filter(({ load }) => load !== "one user");
    variables.removeConstants(provingRounds.flatMap((round) => attempts.outcomes(round)));
  }

  /** Replaces an invalid plan by that of the round with the most good calls whose plan is valid. */
  #keepValid(given: DraftState): void {
    const { draft } = this.#parts;
    const repaired = draft.save();
    const states = this.#rounds.ended.toSorted((a, b) => share(b) - share(a))
      .map(({ state }) => state);
    const valid = [repaired, ...states, given].find((state) => {
      draft.restore(state);
      return draft.isValid();
    });
    draft.restore(valid ?? repaired);
    if (valid === undefined || valid === repaired) return;
    this.#kept = valid === given ? "given" : "reduced";
    const { ended } = this.#rounds;
    const round = ended.findIndex(({ state }) => state === valid);
    if (round >= 0) ended.push(...ended.splice(round, 1));
  }

  /** Runs a plan that lost some repairs with all users, unless its last round did so. */
  async #proveReduced(): Promise<void> {
    const { target } = this.#parts;
    if (this.#kept !== "reduced" || target.isOver || this.#isConclusive()) return;
    if (!this.#mayProve()) return;
    const what = "2 users, 2 iterations, without some repairs";
    const round = { name: "round without some repairs", load: "lock step" } as const;
    this.#rounds.ended.push(await this.#rounds.runUnrepaired(round, what));
  }

  /** Repairs the plan with one user, then with two if most calls are as recorded. */
  async #repair(): Promise<void> {
    await this.#runPasses();
    const { asRecorded, calls } = this.#last.report;
    if (asRecorded * 2 < calls || this.#parts.target.isOver) return;
    await this.#runProvingRounds();
    await this.#stagger();
  }

  async #runPasses(): Promise<void> {
    const { target } = this.#parts;
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const name = `pass ${pass}`;
      const isClean = await this.#rounds.run({ name, load: "one user" }, name);
      // A write may work only on fresh data, and one user finds that out at the lowest cost.
      if (isClean && pass === 1 && target.writes > 0 && !target.isOver) continue;
      if (isClean || pass === MOST_PASSES || target.isOver || !this.#prepareRound()) return;
    }
  }

  async #runProvingRounds(): Promise<void> {
    const { target } = this.#parts;
    for (let number = 1; number <= MOST_PROVING_ROUNDS && this.#mayProve(); number++) {
      const name = `2 users, 2 iterations (round ${number} of at most ${MOST_PROVING_ROUNDS})`;
      const isLast = number === MOST_PROVING_ROUNDS;
      await this.#rounds.run({ name: `round ${number}`, load: "lock step" }, name, isLast);
      if (isLast || target.isOver || !this.#prepareRound() && !this.#isUndecided()) return;
    }
  }

  /** Reports whether the limit of writes allows a round that can prove the plan. */
  #mayProve(): boolean {
    return this.#parts.target.mayRun(PROVING_LOAD.users * PROVING_LOAD.iterations);
  }

  /**
   * Makes sure that no repair costs a call that worked. If calls fail that worked before or that
   * were changed, compares the repaired plan with that of the best earlier round and with the given
   * one, and replaces it if another plan is better.
   */
  async #keepBest(given: DraftState): Promise<void> {
    const { draft } = this.#parts;
    if (draft.edits === 0 || !this.#mayBeWorse()) return;
    const { state: earlier } = this.#rounds.ended.reduce((a, b) => share(b) > share(a) ? b : a);
    const comparison = new PlanComparison(this.#parts, this.#rounds, draft.save());
    const best = await comparison.findBetter(
      new Map([[earlier, "the plan of an earlier round"], [given, "the plan as given"]]),
    );
    if (best === undefined) return;
    const made = listRepairs(this.report());
    draft.restore(best);
    this.#parts.repairs.variables.removeUnused(given);
    this.#rounds.ended.push(comparison.lastRun(best));
    this.#kept = draft.edits === 0 ? "given" : "reduced";
    const left = this.#kept === "given" ? [] : listRepairs(this.report());
    this.#discarded = {
      repairs: made.filter((repair) => !left.includes(repair)),
      calls: comparison.fixedBy(best),
    };
  }

  /** Reports whether a call failed in the last round that worked before or that was changed. */
  #mayBeWorse(): boolean {
    const { attempts, draft } = this.#parts;
    const good = attempts.matchingCalls(this.#rounds.ended.slice(0, -1));
    return attempts.outcomes(this.#last).some((outcome) =>
      !matchesRecording(outcome) && (good.has(outcome.index) ||
        JSON.stringify(draft.at(outcome.index)) !== JSON.stringify(draft.given.at(outcome.index)))
    );
  }

  /**
   * Selects pauses to try in the next round, if the last one made no repairs. Returns false if
   * another round would give the same results.
   */
  #prepareRound(): boolean {
    const { repairs: { pauses }, attempts } = this.#parts;
    return this.#last.report.repairs > 0 || pauses.selectWrites(attempts.outcomes(this.#last));
  }

  /**
   * Reports whether it is undecided whether a call needs a pause, or whether it fails at random.
   */
  #isUndecided(): boolean {
    const { repairs: { pauses }, attempts } = this.#parts;
    return this.#last.report.alternated === true || pauses.isUndecided ||
      attempts.undecided.length > 0;
  }

  /**
   * Runs another round if responses that matched the recording at first now differ, for example
   * because two users in lockstep edited the same page or ended each other's login. In this round,
   * the second user starts when the first has sent half of the calls.
   */
  async #stagger(): Promise<void> {
    if (!this.#isConclusive() || this.#parts.attempts.undecided.length > 0) return;
    const found = this.report();
    if (found.proven || !mayBeConflict(found)) return;
    if (!this.#mayProve()) return;
    const round = { name: "staggered round", load: "staggered" } as const;
    await this.#rounds.run(round, "2 staggered users, 2 iterations", true);
  }

  /**
   * Returns the repaired plan. If the trial runs proved that the plan works (`proven`), lists in
   * `calibration.constants` the literals that look generated but are constants of the application.
   */
  calibratedPlan({ proven }: Pick<Calibration, "proven">): Plan {
    const { draft, attempts } = this.#parts;
    const { calibration: _, ...plan } = draft.toPlan();
    const constants = proven ? listConstants(draft, attempts) : [];
    return constants.length === 0 ? plan : { ...plan, calibration: { constants } };
  }

  report(): Omit<Calibration, "moved"> {
    const { ended, triedPauses, live } = this.#rounds;
    return reportOn({
      ...this.#parts,
      rounds: ended,
      triedPauses,
      live,
      isConclusive: this.#isConclusive(),
      kept: this.#kept,
      discarded: this.#discarded,
    });
  }

  /**
   * Reports whether the last round can prove the plan: it ran this plan to its end with all users,
   * and changed nothing.
   */
  #isConclusive(): boolean {
    if (this.#kept === "given" || this.#parts.target.isOver) return false;
    const { users, iterations, repairs, alternated } = this.#last.report;
    const ranAll = users === PROVING_LOAD.users && iterations === PROVING_LOAD.iterations;
    return ranAll && repairs === 0 && !alternated && !this.#parts.repairs.pauses.isUndecided;
  }
}

function share({ report }: EndedRound): number {
  return report.asRecorded / report.calls;
}

/** Number of runs of each plan that is compared with others. */
const TURNS = 2;

/**
 * Compares the repaired plan with others. One user runs them by turns, because only runs on the
 * same data are comparable. A plan is better at a call that works in all of its runs, and in no run
 * of the other plan. Any other difference may be random, or due to data that an earlier run
 * changed.
 */
class PlanComparison {
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
