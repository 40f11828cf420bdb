import { plural } from "../base/format.ts";
import { recordedSecretHider } from "../convert/har/secrets.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { type AimedPlan, collapseDefaultHeaders, inlineDefaultHeaders } from "./aimed_plan.ts";
import { matchesRecording, MOST_PASSES, MOST_PROVING_ROUNDS, PROVING_LOAD } from "./attempts.ts";
import type { CalibratedPlan, Calibration } from "./calibration.ts";
import { type DraftState, quoteValue } from "./draft.ts";
import { insertPauses, moveOverlapped } from "./flow_edits.ts";
import { type CalibrationOptions, LiveTarget } from "./live_target.ts";
import { Repairs } from "./repairs.ts";
import { mayBeConflict } from "./proof.ts";
import { reportOn } from "./report.ts";
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
  const hide = recordedSecretHider(recording);
  const { redact = (text: string) => text } = options;
  const hiding = { ...options, redact: (text: string) => redact(hide(text)) };
  const repairs = new Repairs(plan, recording, { recorded: origin, target });
  const calibrator = new Calibrator(repairs, new LiveTarget(plan, target, hiding));
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
    edits: repairs.draft.edits + pauses.length + moved.length,
  };
}

const NO_REPAIRS = { extracted: [], received: [], unique: [], pauses: [], moved: [], removed: [] };

class Calibrator {
  readonly #repairs: Repairs;
  readonly #target: LiveTarget;
  readonly #rounds: Rounds;
  #kept: Calibration["kept"];
  #discarded: Calibration["discarded"];

  constructor(repairs: Repairs, target: LiveTarget) {
    this.#repairs = repairs;
    this.#target = target;
    this.#rounds = new Rounds(repairs, target);
  }

  async run(): Promise<void> {
    const { draft, variables, attempts } = this.#repairs;
    const given = draft.save();
    await this.#repair();
    if (!this.#target.isOver) await this.#keepBest(given);
    if (this.#kept === "given") return;
    await this.#proveReduced();
    variables.removeUnused(given);
    if (this.#target.options.keepConstants) return;
    const provingRounds = this.#rounds.ended.filter(({ load }) => load !== "one user");
    variables.removeConstants(provingRounds.flatMap((round) => attempts.outcomes(round)));
  }

  /** Runs a plan that lost some repairs with all users, unless its last round did so. */
  async #proveReduced(): Promise<void> {
    if (this.#kept !== "reduced" || this.#rounds.last.load !== "one user") return;
    if (this.#target.isOver || !this.#mayProve()) return;
    const what = "2 users, 2 iterations, without some repairs";
    const round = { name: "round without some repairs", load: "lock step" } as const;
    this.#rounds.conclude(await this.#rounds.runUnrepaired(round, what));
  }

  /** Repairs the plan with one user, then with two if most calls are as recorded. */
  async #repair(): Promise<void> {
    await this.#runPasses();
    const { asRecorded, calls } = this.#rounds.last.report;
    if (asRecorded * 2 < calls || this.#target.isOver) return;
    await this.#runProvingRounds();
    await this.#stagger();
  }

  async #runPasses(): Promise<void> {
    const target = this.#target;
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const name = `pass ${pass}`;
      const isClean = await this.#rounds.run({ name, load: "one user" }, name);
      // A write may work only on fresh data, and one user finds that out at the lowest cost.
      if (isClean && pass === 1 && target.writes > 0 && !target.isOver) continue;
      if (isClean || pass === MOST_PASSES || target.isOver || !this.#prepareRound()) return;
    }
  }

  async #runProvingRounds(): Promise<void> {
    for (let number = 1; number <= MOST_PROVING_ROUNDS && this.#mayProve(); number++) {
      const name = `2 users, 2 iterations (round ${number} of at most ${MOST_PROVING_ROUNDS})`;
      const isLast = number === MOST_PROVING_ROUNDS;
      await this.#rounds.run({ name: `round ${number}`, load: "lock step" }, name, isLast);
      if (isLast || this.#target.isOver || !this.#prepareRound() && !this.#isOpen()) return;
    }
  }

  /** Reports whether the limit of writes allows a round that can prove the plan. */
  #mayProve(): boolean {
    return this.#target.mayRun(PROVING_LOAD.users * PROVING_LOAD.iterations);
  }

  /**
   * Makes sure that no repair costs a call that worked. If calls fail that worked before or that
   * were changed, compares the repaired plan with that of the best earlier round and with the given
   * one, and replaces it if another plan is better.
   */
  async #keepBest(given: DraftState): Promise<void> {
    const { draft, variables } = this.#repairs;
    if (draft.edits === 0 || !this.#mayBeWorse()) return;
    const { state: earlier } = this.#rounds.ended.reduce((a, b) => share(b) > share(a) ? b : a);
    const repaired = draft.save();
    const comparison = new PlanComparison(this.#repairs, this.#target, this.#rounds);
    const best = await comparison.findBetter(
      new Map([[earlier, "the plan of an earlier round"], [given, "the plan as given"]]),
    );
    draft.restore(repaired);
    if (best === undefined) return;
    const made = listRepairs(this.report());
    draft.restore(best);
    variables.removeUnused(given);
    this.#rounds.conclude(comparison.lastRun(best));
    this.#kept = draft.edits === 0 ? "given" : "reduced";
    const left = this.#kept === "given" ? [] : listRepairs(this.report());
    this.#discarded = {
      repairs: made.filter((repair) => !left.includes(repair)),
      calls: comparison.fixedBy(best),
    };
  }

  /** Reports whether a call failed in the last round that worked before or that was changed. */
  #mayBeWorse(): boolean {
    const { attempts, draft } = this.#repairs;
    const good = attempts.matchingCalls(this.#rounds.ended.slice(0, -1));
    return attempts.outcomes(this.#rounds.last).some((outcome) =>
      !matchesRecording(outcome) && (good.has(outcome.index) ||
        JSON.stringify(draft.at(outcome.index)) !== JSON.stringify(draft.given.at(outcome.index)))
    );
  }

  /**
   * Selects pauses to try in the next round, if the last one made no repairs. Returns false if
   * another round would give the same results.
   */
  #prepareRound(): boolean {
    const { pauses, attempts } = this.#repairs;
    const { last } = this.#rounds;
    return last.report.repairs > 0 || pauses.selectWrites(attempts.outcomes(last));
  }

  /** Reports whether only another round can show if a call needs a pause, or fails at random. */
  #isOpen(): boolean {
    return this.#rounds.last.report.alternated === true || this.#repairs.isUndecided;
  }

  /**
   * Runs another round if responses that matched the recording at first now differ, for example
   * because two users in lockstep edited the same page or ended each other's login. In this round,
   * the second user starts when the first has sent half of the calls.
   */
  async #stagger(): Promise<void> {
    const report = this.report();
    const { isUndecided } = this.#repairs;
    if (report.proven || !mayBeConflict({ ...report, isUndecided }) || !this.#mayProve()) return;
    const round = { name: "staggered round", load: "staggered" } as const;
    await this.#rounds.run(round, "2 staggered users, 2 iterations", true);
  }

  /**
   * Returns the repaired plan. If the trial runs proved that the plan works (`proven`), lists in
   * `calibration.constants` the literals that look generated but are constants of the application.
   */
  calibratedPlan({ proven }: Pick<Calibration, "proven">): Plan {
    const { draft, attempts } = this.#repairs;
    const { calibration: _, ...plan } = draft.toPlan();
    const constants = proven ? listConstants(draft, attempts) : [];
    return constants.length === 0 ? plan : { ...plan, calibration: { constants } };
  }

  report(): Omit<Calibration, "moved"> {
    return reportOn({
      repairs: this.#repairs,
      target: this.#target,
      rounds: this.#rounds,
      kept: this.#kept,
      discarded: this.#discarded,
    });
  }
}

/** Describes the repairs of a plan's values. The descriptions may contain recorded text. */
function listRepairs(
  { extracted, unique, removed }: Pick<Calibration, "extracted" | "unique" | "removed">,
): string[] {
  return [
    ...extracted.map(({ variable, source }) => `${variable} extracted at call ${source + 1}`),
    ...unique.map(({ recorded, expression }) => `${quoteValue(recorded)} as ${expression}`),
    ...removed.map(({ variable }) => `${variable} removed`),
  ];
}

function share({ report }: EndedRound): number {
  return report.asRecorded / report.calls;
}

/**
 * Compares the repaired plan with others, with the users and iterations of the last round. A plan
 * is better at a call that works in its run, and in no run of the repaired plan, of which one comes
 * before it and one after it. Any other difference may be random, or due to data that an earlier
 * run changed.
 */
class PlanComparison {
  readonly #repairs: Repairs;
  readonly #target: LiveTarget;
  readonly #rounds: Rounds;
  readonly #repaired: DraftState;
  readonly #runs = new Map<DraftState, EndedRound[]>();

  constructor(repairs: Repairs, target: LiveTarget, rounds: Rounds) {
    this.#repairs = repairs;
    this.#target = target;
    this.#rounds = rounds;
    this.#repaired = repairs.draft.save();
    if (rounds.last.report.repairs === 0) this.#runs.set(this.#repaired, [rounds.last]);
  }

  /**
   * Returns the plan that is better than the repaired one at the most calls, compared with the
   * calls at which it is worse: one of `others`, from the one with the most repairs to that with
   * the fewest, or the repaired plan without the repairs of the calls at which they are better.
   * Returns undefined if no plan is better, or if the target no longer allows a comparison. Of
   * equally good plans, the one without the harmful repairs wins.
   */
  async findBetter(others: ReadonlyMap<DraftState, string>): Promise<DraftState | undefined> {
    const { draft, unique } = this.#repairs;
    const repaired = this.#repaired;
    const isRun = this.#runs.has(repaired) || await this.#run(repaired, "the repaired plan");
    if (!isRun) return undefined;
    const better: DraftState[] = [];
    for (const [plan, name] of others) {
      if (plan === repaired) continue;
      if (!await this.#run(plan, name)) return undefined;
      if (this.fixedBy(plan).length > 0) better.push(plan);
    }
    if (better.length === 0) return undefined;
    draft.restore(repaired);
    // The plan with more repairs comes last, and wins.
    for (const plan of better.toReversed()) {
      const fixed = this.fixedBy(plan);
      for (const index of fixed) unique.undoIn(index, plan[draft.given.positions[index]]);
      draft.take(fixed, plan);
    }
    const reduced = draft.save();
    const isCompared = await this.#run(reduced, "the plan without harmful repairs") &&
      await this.#run(repaired, "the repaired plan again");
    const helpful = [reduced].filter((plan) => this.fixedBy(plan).length > 0);
    const candidates = isCompared ? [...helpful, repaired, ...better] : [repaired];
    const [best] = candidates.sort((a, b) => this.#gain(b) - this.#gain(a));
    return best === repaired ? undefined : best;
  }

  /** Lists the calls at which a plan is better than the repaired one. */
  fixedBy(plan: DraftState): number[] {
    return this.#onlyGood(plan, this.#repaired);
  }

  lastRun(plan: DraftState): EndedRound {
    return this.#runs.get(plan)!.at(-1)!;
  }

  /** Runs a plan. Returns false if the target does not allow it. */
  async #run(plan: DraftState, name: string): Promise<boolean> {
    const { load, report: { users, iterations } } = this.#rounds.last;
    if (this.#target.isOver || !this.#target.mayRun(users * iterations)) return false;
    this.#repairs.draft.restore(plan);
    const round = { name: "comparison", load };
    const what = `${plural(users, "user")}, ${
      plural(iterations, "iteration")
    }, to compare: ${name}`;
    const ended = await this.#rounds.runUnrepaired(round, what);
    this.#runs.getOrInsertComputed(plan, () => []).push(ended);
    return !this.#target.isOver;
  }

  #gain(plan: DraftState): number {
    return this.fixedBy(plan).length - this.#onlyGood(this.#repaired, plan).length;
  }

  /** Lists the calls that work in all runs of one plan and in no run of another. */
  #onlyGood(plan: DraftState, other: DraftState): number[] {
    const { attempts } = this.#repairs;
    const [first, ...more] = this.#runs.get(plan)!.map((round) => attempts.matchingCalls([round]));
    const good = more.reduce((all, calls) => all.intersection(calls), first);
    return [...good.difference(attempts.matchingCalls(this.#runs.get(other)!))]
      .sort((a, b) => a - b);
  }
}
