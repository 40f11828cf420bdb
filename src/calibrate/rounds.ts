import { run } from "../engine/run_plan.ts";
import type { RateStats } from "../engine/summary/flow_stats.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { socketName } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { oneIteration, override } from "../plan/override.ts";
import { matchesRecording, PROVING_LOAD, type Round, type RoundLoad } from "./attempts.ts";
import type { RoundReport, SocketReport } from "./calibration.ts";
import type { DraftState } from "./draft.ts";
import type { LiveMessages, LiveTarget } from "./live_target.ts";
import { learnMessages } from "./messages.ts";
import type { NeededPause } from "./pause_trial.ts";
import type { Repairs } from "./repairs.ts";
import { RoundSupervisor } from "./supervisor.ts";

export interface EndedRound extends Round {
  readonly report: RoundReport;
  readonly state: DraftState;
}

/** Numbers of users and iterations of each load. */
const LOADS: Readonly<Record<RoundLoad, typeof PROVING_LOAD | { users: 1; iterations: 1 }>> = {
  "one user": { users: 1, iterations: 1 },
  "lock step": PROVING_LOAD,
  "staggered": PROVING_LOAD,
};

/** The rounds of a calibration. The verdicts are those of the last one. */
export class Rounds {
  readonly #repairs: Repairs;
  readonly #target: LiveTarget;
  readonly #replayed: ReadonlyMap<string, readonly number[]>;
  #ended: readonly EndedRound[] = [];
  #triedPauses: readonly NeededPause[] = [];
  #live: readonly LiveMessages[] = [];

  constructor(repairs: Repairs, target: LiveTarget) {
    this.#repairs = repairs;
    this.#target = target;
    this.#replayed = repairs.draft.given.replayed();
  }

  /** The rounds that ended, in order. Omits those that only compared plans. */
  get ended(): readonly EndedRound[] {
    return this.#ended;
  }

  get last(): EndedRound {
    return this.#ended.at(-1)!;
  }

  /** The pauses that the last round with repairs added to the plan. */
  get triedPauses(): readonly NeededPause[] {
    return this.#triedPauses;
  }

  /** The messages of the WebSockets in the round that ran last. */
  get live(): readonly LiveMessages[] {
    return this.#live;
  }

  /** Makes a round the last one, because the draft has its plan. */
  conclude(round: EndedRound): void {
    this.#ended = [...this.#ended, round];
  }

  /**
   * Runs the scenarios that replay the recording, one after the other. Returns true if every
   * response matches the recording and no call needed an added pause. If `isLast` is true, does not
   * change the plan after the round.
   */
  async run(round: Round, announced: string, isLast = false): Promise<boolean> {
    const { attempts, pauses, trials } = this.#repairs;
    this.#target.options.onRound?.(announced);
    const before = this.#counts();
    const { accepted } = pauses;
    for (const kind of trials) kind.startRound?.(round);
    const alternated = pauses.isUndecided && round.load === "lock step";
    this.#triedPauses = pauses.active;
    const sockets = await this.#runScenarios(round, true);
    const outcomes = attempts.outcomes(round);
    if (LOADS[round.load].users === 1) this.#learnMessages();
    const isWithoutWaits = pauses.accepted === accepted;
    const isRepaired = () => this.#counts().repairs > before.repairs;
    for (const kind of trials) kind.endRound?.({ round, outcomes, isLast, isRepaired });
    const ended = this.#end(round, before, { alternated: alternated || undefined, sockets });
    this.conclude(ended);
    return ended.report.asRecorded === ended.report.calls && isWithoutWaits;
  }

  #learnMessages(): void {
    const { draft, extractions, received } = this.#repairs;
    for (const scenario of this.#replayed.keys()) {
      const { flow } = draft.given.plan.scenarios[scenario];
      received.push(...learnMessages(flow, this.#live, draft, extractions));
    }
  }

  /** Runs the plan without repairing it. The round is not in `ended`. */
  async runUnrepaired(round: Round, announced: string): Promise<EndedRound> {
    this.#target.options.onRound?.(announced);
    const before = this.#counts();
    const sockets = await this.#runScenarios(round, false);
    return this.#end(round, before, { sockets });
  }

  #end(
    round: Round,
    before: { readonly repairs: number; readonly writes: number },
    more: Pick<RoundReport, "alternated" | "sockets"> = {},
  ): EndedRound {
    const { attempts, draft } = this.#repairs;
    const { users, iterations } = LOADS[round.load];
    const { repairs, writes } = this.#counts();
    const report = {
      name: round.name,
      users,
      iterations,
      staggered: round.load === "staggered" || undefined,
      ...more,
      asRecorded: attempts.outcomes(round).filter(matchesRecording).length,
      calls: [...this.#replayed.values()].flat().length * users * iterations,
      repairs: repairs - before.repairs,
      writes: writes - before.writes,
    };
    return Object.assign(round, { report, state: draft.save() });
  }

  /**
   * Runs the scenarios that replay the recording, and adds the attempts to the table. Returns what
   * happened to the WebSockets. If `mayRepair` is false, does not change the plan.
   */
  async #runScenarios(round: Round, mayRepair: boolean): Promise<SocketReport | undefined> {
    const { attempts } = this.#repairs;
    const { sender, options: { interrupt } } = this.#target;
    const kill = new AbortController();
    const ended = AbortSignal.any([kill.signal, ...(interrupt === undefined ? [] : [interrupt])]);
    const sockets: SocketReport[] = [];
    attempts.startRound(round);
    sender.takeMessages();
    for (const [scenario, indexes] of this.#replayed) {
      if (ended.aborted) break;
      const supervisor = new RoundSupervisor(this.#repairs, this.#target, {
        users: LOADS[round.load].users,
        lead: round.load === "staggered" ? Math.ceil(indexes.length / 2) : 0,
        most: indexes.length * LOADS[round.load].iterations,
        mayRepair,
        stop: () => kill.abort(),
      });
      ended.addEventListener("abort", () => supervisor.abort());
      sockets.push(...await this.#runScenario(scenario, round, supervisor, ended));
      attempts.complete(
        round,
        (outcome) => indexes.includes(outcome.index) ? supervisor.complete(outcome) : outcome,
      );
    }
    this.#live = sender.takeMessages();
    return sockets.length === 0 ? undefined : {
      sessions: sockets.reduce((sum, socket) => sum + socket.sessions, 0),
      failed: sockets.reduce((sum, socket) => sum + socket.failed, 0),
      errors: sockets.flatMap(({ errors }) => errors),
    };
  }

  async #runScenario(
    scenario: string,
    { load }: Round,
    supervisor: RoundSupervisor,
    kill: AbortSignal,
  ): Promise<SocketReport[]> {
    const { draft } = this.#repairs;
    const { sender, options: { readFile, readEnv } } = this.#target;
    const { plan } = draft.given;
    const { users, iterations } = LOADS[load];
    const original = plan.scenarios[scenario];
    const flow = draft.withMessages(original.flow);
    const once = oneIteration({ ...plan, scenarios: { [scenario]: { ...original, flow } } });
    const summary = await run(
      override(once, { vus: users, iterations, duration: "24h" }),
      { sender, supervisor, readFile, readEnv, kill },
    );
    return readSockets(summary, flow);
  }

  #counts(): { readonly repairs: number; readonly writes: number } {
    return { repairs: this.#repairs.count, writes: this.#target.budget.sent };
  }
}

function readSockets({ metrics, errors }: Summary, flow: readonly Step[]): SocketReport[] {
  const rate = metrics.ws_session_failed as RateStats | undefined;
  const sockets = [...listSteps(flow)].flatMap(({ websocket }) => websocket ?? []);
  const names = new Set(sockets.map(socketName));
  if (rate === undefined || names.size === 0) return [];
  const { passes: failed, fails } = rate;
  const own = errors.filter(({ name }) => failed > 0 && names.has(name))
    .map(({ name, message }) => `${name}: ${message}`);
  return [{ sessions: failed + fails, failed, errors: own }];
}
