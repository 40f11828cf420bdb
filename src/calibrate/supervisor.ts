import type { RequestSupervisor, SupervisedVu } from "../engine/flow/scope.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Request } from "../plan/kinds/request.ts";
import { headerValue } from "../traffic/har/recording.ts";
import type { CallOutcome } from "./attempts.ts";
import { CallAttempts, type SupervisedRound } from "./call_attempts.ts";
import { judgeCall, type JudgedCall } from "./judge_call.ts";
import type { LiveTarget } from "./live_target.ts";
import type { Repairs } from "./repairs.ts";
import { LockStep, UserIteration } from "./round_users.ts";
import { readSentCall } from "./sent_write.ts";

/** Number of consecutive calls without a response after which a round ends. */
const MOST_FAILURES = 4;

/** Decides before and after each request of a round what is sent, and if it is sent again. */
export class RoundSupervisor implements RequestSupervisor, SupervisedRound {
  readonly repairs: Repairs;
  readonly target: LiveTarget;
  readonly mayRepair: boolean;
  readonly users: Map<number, UserIteration> = new Map();
  /** Total number of times that users waited because of a rate limit or a recorded pause. */
  waits = 0;
  readonly #stop: () => void;
  readonly #lock: LockStep;
  readonly #iterations = new Map<string, UserIteration>();
  /** The attempts at the calls that each user is making: several in a `parallel` step. */
  readonly #calls = new WeakMap<UserIteration, Map<number, CallAttempts>>();
  #failures = 0;

  /**
   * Creates a round in which each user sends at most `most` requests, and is `lead` requests ahead
   * of the next user. `mayRepair` is false in a round that only counts the calls that are as
   * recorded. `stop` ends the round early.
   */
  constructor(
    repairs: Repairs,
    target: LiveTarget,
    { users, lead, most, mayRepair, stop }: {
      readonly users: number;
      readonly lead: number;
      readonly most: number;
      readonly mayRepair: boolean;
      readonly stop: () => void;
    },
  ) {
    this.repairs = repairs;
    this.target = target;
    this.mayRepair = mayRepair;
    this.#stop = stop;
    this.#lock = new LockStep(Array.from({ length: users }, (_, i) => i + 1), lead, most);
  }

  // A user whose iteration was aborted does not end its turn.
  abort(): void {
    this.#lock.unlock();
  }

  async before(request: Request, vu: SupervisedVu): Promise<Request> {
    const { draft } = this.repairs;
    const { sender, options } = this.target;
    const index = draft.given.indexOf(request);
    if (index === undefined) return request; // It belongs to `setup` or `teardown`.
    await this.#lock.take(vu.id);
    options.onCall?.(index + 1, draft.requests.length);
    const user = this.#user(vu);
    const calls = this.#calls.getOrInsertComputed(user, () => new Map());
    let call = calls.get(index);
    if (call === undefined) {
      const pause = await this.#pauseBefore(index, vu, user);
      calls.set(index, call = new CallAttempts(this, index, vu, user, pause));
    }
    sender.takeExchanges(vu.session);
    const planned = draft.at(index);
    user.sentRequests.set(index, { request: planned, pause: call.pause });
    return {
      ...planned,
      assert: undefined,
      checks: undefined,
      extract: draft.given.repeatedAt(index)
        ? planned.extract?.map(withoutDefault)
        : planned.extract,
    };
  }

  async after(request: Request, vu: SupervisedVu): Promise<boolean> {
    const { draft, attempts, variables } = this.repairs;
    const { sender, options } = this.target;
    const index = draft.given.indexOf(request);
    if (index === undefined) return false;
    const user = this.#user(vu);
    const calls = this.#calls.get(user)!;
    const call = calls.get(index)!;
    const exchanges = sender.takeExchanges(vu.session);
    call.responses++;
    const sent = readSentCall(index, vu, user.known, exchanges, { draft, variables });
    if (sent !== undefined) user.sends(index, sent);
    const judging = { draft, attempts, now: options.now() };
    const judged = judgeCall(index, vu, user, exchanges, sent, judging);
    if (await this.#waitForLimit(index, user, call, judged)) return true;
    const wait = call.next(user.polls.judge(judged, draft.given.repeatedAt(index)));
    if (wait !== undefined) {
      if (wait > 0) await this.#wait(index, wait, "the call failed; retrying after a pause");
      return true;
    }
    calls.delete(index);
    this.#lock.release(vu.id);
    return false;
  }

  /** Waits for the added pause before a call, if there is one. Returns its length. */
  async #pauseBefore(index: number, vu: SupervisedVu, user: UserIteration): Promise<number> {
    const pause = this.repairs.pauses.before(index, vu.iteration + 1);
    if (pause === 0 || !this.target.waits.take(pause)) return 0;
    user.waitsBefore++;
    await this.#wait(index, pause, "recorded pause");
    return pause;
  }

  async #waitForLimit(
    index: number,
    user: UserIteration,
    call: CallAttempts,
    { outcome, live }: JudgedCall,
  ): Promise<boolean> {
    const { waits } = this.target;
    const pause = this.repairs.pauses.possible(index);
    const isStated = headerValue(live?.headers ?? [], "retry-after") !== undefined;
    const mayRepeat = !user.polls.hasEnded(index) && call.mayRepeat;
    const ms = await waits.waitForLimit(outcome, {
      status: live?.status,
      waits: mayRepeat ? call.limits.length : undefined,
      pause: isStated ? undefined : pause,
    });
    if (waits.overload !== undefined) this.#stop();
    if (ms === undefined) return false;
    this.waits++;
    call.limits.push(pause !== undefined && ms <= pause ? outcome : undefined);
    return true;
  }

  async #wait(index: number, ms: number, why: string): Promise<void> {
    this.waits++;
    await this.target.waits.wait(ms, index, why);
  }

  #user(vu: SupervisedVu): UserIteration {
    const known = this.users.get(vu.id);
    if (known?.iteration === vu.iteration) return known;
    const fresh = new UserIteration(vu.iteration, this.waits);
    this.users.set(vu.id, fresh);
    this.#iterations.set(`${vu.id} ${vu.iteration + 1}`, fresh);
    return fresh;
  }

  /** Adds to the outcome of a write what the later responses of its iteration show about it. */
  complete(outcome: CallOutcome): CallOutcome {
    const { index, user, iteration, writeDifferences = [] } = outcome;
    const own = this.#iterations.get(`${user} ${iteration}`);
    const iterations = [...this.#iterations].filter(([, one]) => one !== own);
    const writesOf = (isWanted: (key: string) => boolean) =>
      iterations.flatMap(([key, { writes }]) => isWanted(key) ? writes.get(index) ?? [] : []);
    const { draft, variables } = this.repairs;
    const repeated = {
      own: writesOf((key) => key.startsWith(`${user} `)),
      // Another iteration may get the same login from a data file.
      others: writesOf((key) => key.endsWith(` ${iteration}`)),
    };
    const shown = own?.judgeWrite(index, draft, repeated, variables.constants);
    return {
      ...outcome,
      ...shown,
      ...(shown?.writeDifferences !== undefined && {
        writeDifferences: [...writeDifferences, ...shown.writeDifferences],
      }),
    };
  }

  countFailure({ error, unsent }: CallOutcome): void {
    this.#failures = error !== undefined && !unsent ? this.#failures + 1 : 0;
    if (this.#failures >= MOST_FAILURES) this.#stop();
  }
}

/** Returns an extractor without its empty default, which would hide that the value is missing. */
function withoutDefault(extractor: Extractor): Extractor {
  return extractor.default === "" ? { ...extractor, default: undefined } : extractor;
}
