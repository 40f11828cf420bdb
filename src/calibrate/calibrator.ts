import { recordedSecretHider } from "../convert/har/hide_secrets.ts";
import { run } from "../engine/run_plan.ts";
import { oneIteration, override } from "../plan/override.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import { generatedValues } from "../verify/values/generated_values.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { buildCalibration, mayBeConflict } from "./build_calibration.ts";
import type { Calibration, RoundReport } from "./calibration.ts";
import { type AttemptRound, CallAttempts } from "./call_attempts.ts";
import type { CalibrationOptions } from "./calibration_options.ts";
import { CalibrationLog, quoteValue } from "./calibration_log.ts";
import { compareSockets } from "./compare_messages.ts";
import { ConstantValues } from "./constant_values.ts";
import { CalibrationRound, type RoundParts } from "./calibration_round.ts";
import {
  addGoodCalls,
  type CallOutcome,
  isAsRecorded,
  listDoubtfulWrites,
} from "./call_outcome.ts";
import { guardSender } from "./guarded_sender.ts";
import type { LiveMessages } from "./live_messages.ts";
import { Learner } from "./learner.ts";
import { MessageLearner } from "./message_learner.ts";
import { findMissingPauses } from "./missing_pauses.ts";
import { readRoundSockets } from "./missed_messages.ts";
import type { NeededPause } from "./needed_pause.ts";
import { PauseTrials } from "./pause_trials.ts";
import { type DraftState, PlanDraft } from "./plan_draft.ts";
import { Patience, RateLimitWaits } from "./rate_limit_waits.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { Repair } from "./repair.ts";
import { listMissingWrites } from "./missing_writes.ts";
import { listUncompared } from "./uncompared.ts";
import { RowTexts } from "./row_texts.ts";
import { addSockets, type SocketReport } from "./socket_report.ts";
import { SearchTrials } from "./search_trials.ts";
import { RequestTexts } from "./sent_requests.ts";
import { waitsToOpen } from "./socket_waits.ts";
import { UniqueTrials } from "./unique_trials.ts";
import { VariableWatch } from "./variable_watch.ts";
import { isWriteRequest, WriteBudget } from "./write_budget.ts";
import { LOADS, MOST_PASSES, MOST_PROOFS, plannedCalls, PROOF } from "./planned_calls.ts";

/** State of the plan after a round, and the number of calls in the round that were as recorded. */
interface SeenPlan {
  readonly state: DraftState;
  readonly users: number;
  readonly asRecorded: number;
}

/** Calibrates a plan: runs the rounds, and collects their results. */
export class Calibrator {
  readonly draft: PlanDraft;
  readonly #plan: Plan;
  readonly #target: string;
  readonly #recording: Recording;
  readonly #options: CalibrationOptions;
  readonly #log = new CalibrationLog();
  readonly #budget: WriteBudget;
  readonly #writes: number;
  readonly #patience: Patience;
  readonly #limits: RateLimitWaits;
  readonly #messages: MessageLearner;
  readonly #variables: VariableWatch;
  readonly #rows: RowTexts;
  readonly #constants: ConstantValues;
  readonly #attempts: CallAttempts;
  readonly #pauses: PauseTrials;
  /**
   * Recorded pauses that the last round inserted because they had been selected before it started.
   */
  #made: readonly NeededPause[] = [];
  readonly #replayed: ReadonlyMap<string, readonly number[]>;
  readonly #repairs: Repair[] = [];
  readonly #rounds: RoundReport[] = [];
  readonly #parts: Omit<RoundParts, "stop">;
  #outcomes: readonly CallOutcome[] = [];
  /** Messages that the WebSockets received in the last round. */
  #received: readonly LiveMessages[] = [];
  /**
   * Zero-based indexes of the calls whose responses in a round before the last one all matched the
   * recording.
   */
  readonly #good = new Set<number>();
  /** Verdicts of the round with users in lockstep. Empty unless a staggered round followed. */
  #lockStep: Calibration["calls"] = [];
  /** The plan after each round, with the number of calls that were as recorded. */
  readonly #seen: SeenPlan[] = [];
  /** The plan that was kept, if the plan after the last round did worse. */
  #kept: "given" | "earlier" | undefined;

  constructor(
    plan: Plan,
    recorded: RecordedSide,
    target: string,
    recording: Recording,
    options: CalibrationOptions,
  ) {
    this.#recording = recording;
    this.#patience = new Patience(options.patience);
    this.#limits = new RateLimitWaits(this.#patience);
    const { writes, mostWrites } = plannedCalls(plan);
    this.draft = new PlanDraft(plan);
    this.#replayed = this.draft.replayed();
    this.#plan = plan;
    this.#target = target;
    this.#options = options;
    this.#writes = writes;
    this.#budget = new WriteBudget(mostWrites);
    this.#constants = new ConstantValues(this.draft);
    this.#messages = new MessageLearner(this.draft, recorded, recording, this.#log);
    const rows = this.#rows = new RowTexts(this.draft, recorded, this.#log);
    this.#variables = new VariableWatch(this.draft, rows, this.#log);
    const missing = findMissingPauses(plan, this.draft, recorded);
    this.#attempts = new CallAttempts(missing, this.#log);
    this.#pauses = new PauseTrials(this.draft, missing, this.#attempts, this.#log);
    const hide = recordedSecretHider(recording);
    const { redact = (text: string) => text } = options;
    this.#parts = {
      draft: this.draft,
      recorded,
      learner: new Learner(this.draft, recorded, rows, this.#log),
      variables: this.#variables,
      trials: new UniqueTrials(this.draft, this.#log),
      attempts: this.#attempts,
      texts: new RequestTexts(),
      pauses: this.#pauses,
      searches: new SearchTrials(
        this.draft,
        () => this.#repairs.filter((repair) => repair.kind === "unique"),
        this.#log,
      ),
      rows,
      constants: this.#constants,
      budget: this.#budget,
      limits: this.#limits,
      patience: this.#patience,
      sender: guardSender(options.sender, {
        isAllowed: options.isAllowed,
        budget: this.#budget,
        waitToOpen: waitsToOpen(this.#limits, options, () => this.#isOver()),
      }),
      onRepair: (repair) => {
        if (repair.kind === "unique") rows.replace(repair);
        this.#repairs.push(repair);
      },
      hide: (text) => redact(hide(text)),
      sleep: options.sleep,
      announce: (text) => options.onRound?.(text),
      now: options.now,
      mayRepair: true,
      rights: new Map(),
    };
  }

  async run(): Promise<void> {
    const given = this.draft.save();
    await this.#repair();
    await this.#keepBest(given);
    if (!this.#options.keepConstants) this.#removeConstants();
  }

  async #repair(): Promise<void> {
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const name = `pass ${pass}`;
      const isClean = await this.#round({ name, load: "one user" }, name);
      if (isClean || this.#isFinal(pass === MOST_PASSES)) break;
    }
    const { asRecorded, calls } = this.#rounds.at(-1)!;
    if (asRecorded * 2 < calls || this.#isOver()) return;
    for (let proof = 1; proof <= MOST_PROOFS; proof++) {
      if (this.#budget.left < this.#writes * PROOF.users * PROOF.iterations) break;
      const name = `2 users, 2 iterations (round ${proof} of at most ${MOST_PROOFS})`;
      const isLast = proof === MOST_PROOFS;
      await this.#round({ name: `round ${proof}`, load: "lock step" }, name, isLast);
      if (this.#isFinal(isLast) && !this.#needsRound(proof)) break;
    }
    await this.#stagger();
  }

  /**
   * Makes sure that no repair costs a call that worked. If calls fail that worked before or that
   * were changed, restores the best plan seen: that of an earlier round, or the given one, which one
   * user then runs once, as well as the repaired one.
   */
  async #keepBest(given: DraftState): Promise<void> {
    if (this.draft.edits === 0 || this.#isOver() || !this.#mayBeWorse()) return;
    const proofs = this.#seen.filter(({ users }) => users > 1);
    const last = proofs.toSorted((a, b) => a.asRecorded - b.asRecorded).at(-1)?.state ??
      this.draft.save();
    let best: SeenPlan | undefined;
    let outcomes = this.#outcomes;
    for (const state of [last, given]) {
      if (this.#budget.left < this.#writes) break;
      this.draft.restore(state);
      const found = await this.#count(state === given ? "the plan as given" : "the repaired plan");
      if (best !== undefined && found.asRecorded <= best.asRecorded) continue;
      best = { state, users: 1, asRecorded: found.asRecorded };
      outcomes = found.outcomes;
    }
    const passes = this.#seen.filter(({ users }) => users === 1);
    for (const seen of passes) if (seen.asRecorded > (best?.asRecorded ?? -1)) best = seen;
    this.draft.restore(best?.state ?? last);
    this.#outcomes = outcomes;
    this.#kept = best?.state === given ? "given" : best?.state === last ? undefined : "earlier";
  }

  /**
   * Replaces variables that were equal in the recording and in all responses to two users with their
   * values. Keeps values that look generated, because they may differ in another deployment.
   */
  #removeConstants(): void {
    if (this.#kept === "given" || this.#rounds.at(-1)!.users < PROOF.users) return;
    for (const { variable, source, value, numeric } of this.#variables.constants) {
      const own = this.#outcomes.filter(({ index }) => index === source);
      const isSeen = own.length === PROOF.users * PROOF.iterations && own.every(isAsRecorded);
      if (!isSeen || looksGenerated(value) || generatedValues(value).length > 0) continue;
      this.draft.release(source, variable, value, numeric);
      this.#variables.forget(source, variable);
      this.#log.add(
        source,
        `removed the variable ${variable}: its value was always ${quoteValue(value)}`,
      );
    }
  }

  /** Reports whether a call failed in the last round that worked before or that was changed. */
  #mayBeWorse(): boolean {
    const text = (request: unknown) => JSON.stringify(request);
    return this.#outcomes.some((outcome) =>
      !isAsRecorded(outcome) && (this.#good.has(outcome.index) ||
        text(this.draft.at(outcome.index)) !== text(this.draft.original(outcome.index)))
    );
  }

  /** Runs the plan once, with one user and without repairs. */
  async #count(name: string): Promise<{ asRecorded: number; outcomes: readonly CallOutcome[] }> {
    this.#options.onRound?.(`1 user, 1 iteration, to compare: ${name}`);
    const before = this.draft.save();
    const round = { name: "comparison", load: "one user" } as const;
    const { outcomes } = await this.#play(round, { ...this.#parts, mayRepair: false });
    this.draft.restore(before);
    return { asRecorded: outcomes.filter(isAsRecorded).length, outcomes };
  }

  /**
   * Reports whether the last round was the final one. This is the case if `isLast` is true, if the
   * user interrupted the calibration, if the target is overloaded, or if another round would give
   * the same results. If the last round made no repairs, first selects pauses to try in the next
   * round.
   */
  #isFinal(isLast: boolean): boolean {
    if (isLast || this.#isOver()) return true;
    return this.#rounds.at(-1)!.repairs === 0 && !this.#pauses.propose(this.#outcomes);
  }

  /**
   * Reports whether another round of two users is needed, because it is still unknown whether a
   * call needs a pause or whether a failed call fails again. `proof` is the one-based number of the
   * last such round.
   */
  #needsRound(proof: number): boolean {
    if (proof === MOST_PROOFS || this.#isOver()) return false;
    return this.#rounds.at(-1)!.alternated === true || this.#pauses.isOpen ||
      this.#attempts.open.length > 0;
  }

  /**
   * Runs another round if responses that matched the recording at first now differ, for example
   * because two users in lockstep edited the same page or ended each other's login. In this round,
   * the second user starts when the first has sent half of the calls.
   */
  async #stagger(): Promise<void> {
    if (!this.#isProof() || this.#isOver() || this.#attempts.open.length > 0) return;
    const found = this.report();
    if (found.proven || !mayBeConflict(found)) return;
    if (this.#budget.left < this.#writes * PROOF.users * PROOF.iterations) return;
    this.#lockStep = found.calls;
    const round = { name: "staggered round", load: "staggered" } as const;
    await this.#round(round, "2 staggered users, 2 iterations", true);
  }

  /**
   * Returns the repaired plan. If the trial runs proved that the plan works (`proven`), lists in
   * `calibration.constants` the literals that look generated but are constants of the application.
   */
  calibratedPlan({ proven }: Pick<Calibration, "proven">): Plan {
    const { calibration: _, ...plan } = this.draft.toPlan();
    const constants = proven ? this.#constants.list() : [];
    return constants.length === 0 ? plan : { ...plan, calibration: { constants } };
  }

  report(): Omit<Calibration, "moved"> {
    const messages = compareSockets(this.draft, this.#plan, this.#recording, this.#received);
    return buildCalibration({
      target: this.#target,
      draft: this.draft,
      recorded: this.#parts.recorded,
      rounds: this.#rounds,
      outcomes: this.#outcomes,
      good: this.#good,
      lockStep: this.#lockStep,
      repairs: this.#repairs,
      variables: this.#variables,
      rows: this.#rows,
      pauses: this.#made.filter(({ index }) => this.#pauses.isConfirmed(index)),
      possiblePause: (index) => this.#pauses.possible(index),
      random: this.#attempts.random,
      open: this.#attempts.open,
      messages,
      missing: listMissingWrites(this.draft, this.#plan, this.#recording),
      uncompared: listUncompared(this.draft, this.#plan, this.#parts.recorded, messages),
      budget: this.#budget,
      explanation: this.#log.lines,
      kept: this.#kept,
      isComplete: this.#kept === undefined && this.#isProof() && !this.#isOver(),
      isInterrupted: this.#isInterrupted(),
      overload: this.#limits.overload,
      patience: this.#patience,
      rateLimit: this.#limits.report(),
    });
  }

  /**
   * Reports whether the last round can prove that the plan works: it ran with all users and
   * changed nothing.
   */
  #isProof(): boolean {
    const { users, iterations, repairs, alternated } = this.#rounds.at(-1)!;
    const isWhole = users === PROOF.users && iterations === PROOF.iterations;
    return isWhole && repairs === 0 && !alternated && !this.#pauses.isOpen;
  }

  /** Adds `${unique}` to strings of writes that the server may have refused. */
  #tryUniqueLater(outcomes: readonly CallOutcome[]): void {
    const isWrite = (index: number) => isWriteRequest(this.draft.at(index));
    for (const index of listDoubtfulWrites(outcomes, isWrite)) {
      const repair = this.#rows.tryLater(index);
      if (repair !== undefined) this.#repairs.push(repair);
    }
  }

  #repairCount(): number {
    return this.#repairs.length + this.#variables.removed.length + this.#pauses.accepted;
  }

  /** Reports whether the user interrupted the calibration, or the target is overloaded. */
  #isOver(): boolean {
    return this.#isInterrupted() || this.#limits.overload !== undefined;
  }

  #isInterrupted(): boolean {
    return this.#options.interrupt?.aborted ?? false;
  }

  /**
   * Runs the scenarios that replay the recording, one after the other. Returns true if every
   * response matches the recording and no call needed an added pause. If `isLast` is true, does not
   * change the plan after the round.
   */
  async #round(round: AttemptRound, announced: string, isLast = false): Promise<boolean> {
    const { users, iterations } = LOADS[round.load];
    this.#options.onRound?.(announced);
    const repairs = this.#repairCount();
    const writes = this.#budget.sent;
    const accepted = this.#pauses.accepted;
    this.#attempts.startRound(round);
    this.#pauses.startRound(round);
    const alternated = this.#pauses.isOpen && round.load === "lock step";
    this.#made = this.#pauses.active;
    const { outcomes, sockets } = await this.#play(round, this.#parts);
    if (users === 1) {
      for (const scenario of this.#replayed.keys()) {
        const { flow } = this.#plan.scenarios[scenario];
        this.#repairs.push(...this.#messages.learn(flow, this.#received));
      }
    }
    if (!isLast) this.#tryUniqueLater(outcomes);
    const waited = this.#pauses.accepted - accepted;
    this.#pauses.endRound(outcomes, this.#repairCount() > repairs);
    addGoodCalls(this.#outcomes, this.#good);
    this.#outcomes = outcomes;
    const asRecorded = outcomes.filter(isAsRecorded).length;
    const calls = [...this.#replayed.values()].flat().length * users * iterations;
    this.#seen.push({ state: this.draft.save(), users, asRecorded });
    this.#rounds.push({
      name: round.name,
      users,
      iterations,
      ...(round.load === "staggered" && { staggered: true }),
      ...(alternated && { alternated }),
      asRecorded,
      calls,
      repairs: this.#repairCount() - repairs,
      writes: this.#budget.sent - writes,
      ...(sockets !== undefined && { sockets }),
    });
    return asRecorded === calls && waited === 0;
  }

  /** Runs the scenarios that replay the recording, and returns what happened. */
  async #play(
    { load }: AttemptRound,
    shared: Omit<RoundParts, "stop">,
  ): Promise<{ outcomes: CallOutcome[]; sockets: SocketReport | undefined }> {
    const { users, iterations } = LOADS[load];
    const kill = new AbortController();
    const { interrupt } = this.#options;
    const signals = interrupt === undefined ? [kill.signal] : [kill.signal, interrupt];
    const ended = AbortSignal.any(signals);
    const outcomes: CallOutcome[] = [];
    let sockets: SocketReport | undefined;
    this.#parts.sender.takeMessages();
    for (const [scenario, { length }] of this.#replayed) {
      if (ended.aborted) break;
      const lead = load === "staggered" ? Math.ceil(length / 2) : 0;
      const parts = { ...shared, stop: () => kill.abort() };
      const supervisor = new CalibrationRound(parts, users, lead);
      ended.addEventListener("abort", () => supervisor.abort());
      const original = this.#plan.scenarios[scenario];
      const flow = this.draft.withMessages(original.flow);
      const scenarios = { [scenario]: { ...original, flow } };
      const plan = oneIteration({ ...this.#plan, scenarios });
      const summary = await run(override(plan, { vus: users, iterations, duration: "24h" }), {
        sender: this.#parts.sender,
        supervisor,
        readFile: this.#options.readFile,
        readEnv: this.#options.readEnv,
        kill: ended,
      });
      outcomes.push(...supervisor.judged());
      const found = readRoundSockets(summary, flow, {
        outcomes: supervisor.outcomes,
        iterations: users * iterations,
        indexOf: (request) => this.draft.indexOf(request),
        isWrite: (index) => isWriteRequest(this.draft.at(index)),
      });
      if (found !== undefined) sockets = addSockets(sockets, found);
    }
    this.#received = this.#parts.sender.takeMessages();
    return { outcomes, sockets };
  }
}
