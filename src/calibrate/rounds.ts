import { run } from "../engine/run_plan.ts";
import type { RateStats } from "../engine/summary/flow_stats.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { socketName } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { oneIteration, override } from "../plan/override.ts";
import { type CallOutcome, LOADS, matchesRecording, type Round } from "./attempts.ts";
import { listDoubtfulWrites } from "./reasons.ts";
import type { LiveMessages } from "./live_target.ts";
import type { RoundReport, SocketReport } from "./calibration.ts";
import type { DraftState } from "./draft.ts";
import { learnMessages } from "./messages.ts";
import { RoundSupervisor } from "./supervisor.ts";
import type { NeededPause } from "./pause_trial.ts";
import type { RoundParts } from "./parts.ts";

export interface EndedRound extends Round {
  readonly report: RoundReport;
  readonly state: DraftState;
}

export class Rounds {
  readonly #replayed: ReadonlyMap<string, readonly number[]>;
  readonly #parts: RoundParts;
  readonly ended: EndedRound[] = [];
  triedPauses: readonly NeededPause[] = [];
  live: readonly LiveMessages[] = [];

  constructor(parts: RoundParts) {
    this.#parts = parts;
    this.#replayed = parts.draft.given.replayed();
  }

  /**
   * Runs the scenarios that replay the recording, one after the other. Returns true if every
   * response matches the recording and no call needed an added pause. If `isLast` is true, does not
   * change the plan after the round.
   */
  async run(round: Round, announced: string, isLast = false): Promise<boolean> {
    const { attempts, repairs: { pauses } } = this.#parts;
    this.#parts.options.onRound?.(announced);
    const before = this.#counts();
    const { accepted } = pauses;
    pauses.startRound(round);
    const alternated = pauses.isUndecided && round.load === "lock step";
    this.triedPauses = pauses.active;
    const sockets = await this.#runScenarios(round, true);
    const outcomes = attempts.outcomes(round);
    if (LOADS[round.load].users === 1) this.#learnMessages();
    if (!isLast) this.#tryOtherTexts(round, outcomes);
    const isWithoutWaits = pauses.accepted === accepted;
    pauses.endRound(outcomes, this.#counts().repairs > before.repairs);
    const ended = this.#end(round, before, { alternated: alternated || undefined, sockets });
    this.ended.push(ended);
    return ended.report.asRecorded === ended.report.calls && isWithoutWaits;
  }

  #learnMessages(): void {
    const { plan, recording, draft, repairs } = this.#parts;
    for (const scenario of this.#replayed.keys()) {
      const { flow } = plan.scenarios[scenario];
      repairs.received.push(
        ...learnMessages(flow, recording, this.live, draft, repairs.extractions),
      );
    }
  }

  /** Makes texts of refused and lost writes unique, for the next round. */
  #tryOtherTexts(round: Round, outcomes: readonly CallOutcome[]): void {
    const { attempts, draft, repairs: { unique } } = this.#parts;
    const lost = this.#listLostWrites(outcomes);
    unique.endRound(lost);
    for (const index of lost.union(listDoubtfulWrites(outcomes, draft))) unique.tryLater(index);
    const good = attempts.matchingCalls([round]);
    for (const { index, refusal } of attempts.firstIn(round)) {
      if (refusal !== undefined && draft.isWrite(index) && !good.has(index)) {
        unique.tryLater(index, refusal);
      }
    }
  }

  /** Runs the plan without repairing it. The round is not in `ended`. */
  async runUnrepaired(round: Round, announced: string): Promise<EndedRound> {
    this.#parts.options.onRound?.(announced);
    const before = this.#counts();
    const sockets = await this.#runScenarios(round, false);
    return this.#end(round, before, { sockets });
  }

  /**
   * Returns the writes that did their work in all iterations of an earlier round, but that a
   * response of the current round does not show. The server may ignore text that it knows.
   */
  #listLostWrites(outcomes: readonly CallOutcome[]): Set<number> {
    const isShown = (one: CallOutcome) => matchesRecording(one) && one.unshown === undefined;
    const shown = this.ended.map((round) =>
      Map.groupBy(this.#parts.attempts.outcomes(round), ({ index }) => index)
    );
    return new Set(
      outcomes.filter((one) => matchesRecording(one) && !isShown(one)).map(({ index }) => index)
        .filter((index) => shown.some((round) => round.get(index)?.every(isShown))),
    );
  }

  #end(
    round: Round,
    before: { readonly repairs: number; readonly writes: number },
    more: Pick<RoundReport, "alternated" | "sockets"> = {},
  ): EndedRound {
    const { attempts, draft } = this.#parts;
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
    const { attempts, options: { interrupt }, target: { sender } } = this.#parts;
    const kill = new AbortController();
    const ended = AbortSignal.any([kill.signal, ...(interrupt === undefined ? [] : [interrupt])]);
    const sockets: SocketReport[] = [];
    attempts.startRound(round);
    sender.takeMessages();
    for (const [scenario, indexes] of this.#replayed) {
      if (ended.aborted) break;
      const supervisor = new RoundSupervisor(this.#parts, {
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
    this.live = sender.takeMessages();
    return sockets.length === 0 ? undefined : {
      sessions: sockets.reduce((sum, one) => sum + one.sessions, 0),
      failed: sockets.reduce((sum, one) => sum + one.failed, 0),
      errors: sockets.flatMap(({ errors }) => errors),
    };
  }

  async #runScenario(
    scenario: string,
    { load }: Round,
    supervisor: RoundSupervisor,
    kill: AbortSignal,
  ): Promise<SocketReport[]> {
    const { plan, draft, options: { readFile, readEnv }, target: { sender } } = this.#parts;
    const { users, iterations } = LOADS[load];
    const original = plan.scenarios[scenario];
    const flow = draft.withMessages(original.flow);
    const one = oneIteration({ ...plan, scenarios: { [scenario]: { ...original, flow } } });
    const summary = await run(
      override(one, { vus: users, iterations, duration: "24h" }),
      { sender, supervisor, readFile, readEnv, kill },
    );
    return readSockets(summary, flow);
  }

  #counts(): { readonly repairs: number; readonly writes: number } {
    const { target, repairs } = this.#parts;
    return { repairs: repairs.count, writes: target.budget.sent };
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
