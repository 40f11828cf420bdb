import { run } from "../engine/run_plan.ts";
import { oneIteration, override } from "../plan/override.ts";
import { isAsRecorded, type Round } from "./attempts.ts";
import { listDoubtfulWrites } from "./blame.ts";
import { isWriteRequest, LOADS } from "./budget.ts";
import type { RoundReport } from "./calibration.ts";
import type { DraftState } from "./draft.ts";
import type { LiveMessages } from "./guarded_sender.ts";
import { learnMessages } from "./messages.ts";
import { RoundObserver } from "./observe.ts";
import type { NeededPause } from "./pause_trial.ts";
import type { RoundParts } from "./round.ts";
import { addSockets, readRoundSockets, type SocketReport } from "./sockets.ts";
import type { ReceivedRepair } from "./trial.ts";

/** A round that ended. */
export interface EndedRound extends Round {
  readonly report: RoundReport;
  /** The plan after the round. */
  readonly state: DraftState;
}

/** Runs the rounds of a calibration, and keeps what they found out. */
export class Rounds {
  readonly #replayed: ReadonlyMap<string, readonly number[]>;
  readonly #parts: RoundParts;
  readonly ended: EndedRound[] = [];
  readonly received: ReceivedRepair[] = [];
  /** Recorded pauses that the last round inserted. */
  made: readonly NeededPause[] = [];
  /** Messages that the WebSockets received in the last round. */
  live: readonly LiveMessages[] = [];

  constructor(parts: RoundParts) {
    this.#parts = parts;
    this.#replayed = parts.draft.replayed();
  }

  /**
   * Runs the scenarios that replay the recording, one after the other. Returns true if every
   * response matches the recording and no call needed an added pause. If `isLast` is true, does not
   * change the plan after the round.
   */
  async run(round: Round, announced: string, isLast = false): Promise<boolean> {
    const { attempts, budget, draft, pauses, unique } = this.#parts;
    const { users, iterations } = LOADS[round.load];
    this.#parts.options.onRound?.(announced);
    const repairs = this.#repairCount();
    const writes = budget.sent;
    const { accepted } = pauses;
    pauses.startRound(round);
    const alternated = pauses.isOpen && round.load === "lock step";
    this.made = pauses.active;
    const sockets = await this.play(round, true);
    const outcomes = attempts.outcomes(round);
    if (users === 1) {
      for (const scenario of this.#replayed.keys()) {
        const { flow } = this.#parts.plan.scenarios[scenario];
        const { extractions } = this.#parts;
        this.received.push(
          ...learnMessages(flow, this.#parts.recording, this.live, draft, extractions),
        );
      }
    }
    if (!isLast) {
      const isWrite = (index: number) => isWriteRequest(draft.at(index));
      for (const index of listDoubtfulWrites(outcomes, isWrite)) unique.tryLater(index);
    }
    const waited = pauses.accepted - accepted;
    pauses.endRound(outcomes, this.#repairCount() > repairs);
    const asRecorded = outcomes.filter(isAsRecorded).length;
    const calls = [...this.#replayed.values()].flat().length * users * iterations;
    const report = {
      name: round.name,
      users,
      iterations,
      ...(round.load === "staggered" && { staggered: true as const }),
      ...(alternated && { alternated }),
      asRecorded,
      calls,
      repairs: this.#repairCount() - repairs,
      writes: budget.sent - writes,
      ...(sockets !== undefined && { sockets }),
    };
    this.ended.push(Object.assign(round, { report, state: draft.save() }));
    return asRecorded === calls && waited === 0;
  }

  /**
   * Runs the scenarios that replay the recording, and adds the attempts to the table. Returns what
   * happened to the WebSockets. If `mayRepair` is false, does not change the plan.
   */
  async play(round: Round, mayRepair: boolean): Promise<SocketReport | undefined> {
    const { attempts, draft, sender } = this.#parts;
    const { users, iterations } = LOADS[round.load];
    const kill = new AbortController();
    const { interrupt, readFile, readEnv } = this.#parts.options;
    const ended = AbortSignal.any([kill.signal, ...(interrupt === undefined ? [] : [interrupt])]);
    let sockets: SocketReport | undefined;
    attempts.startRound(round);
    sender.takeMessages();
    for (const [scenario, indexes] of this.#replayed) {
      if (ended.aborted) break;
      const supervisor = new RoundObserver(this.#parts, {
        users,
        lead: round.load === "staggered" ? Math.ceil(indexes.length / 2) : 0,
        mayRepair,
        stop: () => kill.abort(),
      });
      ended.addEventListener("abort", () => supervisor.abort());
      const original = this.#parts.plan.scenarios[scenario];
      const flow = draft.withMessages(original.flow);
      const scenarios = { [scenario]: { ...original, flow } };
      const plan = oneIteration({ ...this.#parts.plan, scenarios });
      const summary = await run(override(plan, { vus: users, iterations, duration: "24h" }), {
        sender,
        supervisor,
        readFile,
        readEnv,
        kill: ended,
      });
      attempts.complete(round, (outcome) => {
        if (!indexes.includes(outcome.index)) return outcome;
        const unshown = supervisor.unshown(outcome);
        return unshown === undefined ? outcome : { ...outcome, unshown };
      });
      const found = readRoundSockets(summary, flow, {
        indexOf: (request) => draft.indexOf(request),
        isWrite: (index) => isWriteRequest(draft.at(index)),
      });
      if (found !== undefined) sockets = addSockets(sockets, found);
    }
    this.live = sender.takeMessages();
    return sockets;
  }

  #repairCount(): number {
    const { extractions, unique, variables, pauses } = this.#parts;
    return extractions.repairs.length + this.received.length + unique.made +
      variables.removed.length + pauses.accepted;
  }
}
