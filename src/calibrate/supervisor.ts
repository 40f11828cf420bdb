import { headerValue } from "../traffic/har/recording.ts";
import type { RequestSupervisor, SupervisedVu } from "../engine/flow/scope.ts";
import { compareContent } from "../outcome/content.ts";
import { isDoubtful } from "../outcome/judge_response.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Request } from "../plan/kinds/request.ts";
import { type Attempt, type CallOutcome, matchesRecording } from "./attempts.ts";
import { isSessionLost } from "./reasons.ts";
import { judgeCall, type JudgedCall } from "./judge_call.ts";
import type { LiveTarget } from "./live_target.ts";
import type { Repairs } from "./repairs.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import { isOfOtherObject } from "./row_objects.ts";
import type { FailedCall, LiveStep } from "./trial.ts";
import { LockStep, UserIteration } from "./round_users.ts";

/** Number of consecutive calls without a response after which a round ends. */
const MOST_FAILURES = 4;

/** The last attempt at a call, and the one that counts: the last without a failed edit. */
interface Tried {
  readonly judged: JudgedCall;
  readonly row: Attempt;
  readonly counted: Attempt;
}

export class RoundSupervisor implements RequestSupervisor {
  readonly #repairs: Repairs;
  readonly #target: LiveTarget;
  readonly #mayRepair: boolean;
  readonly #stop: () => void;
  readonly #lock: LockStep;
  readonly #users = new Map<number, UserIteration>();
  readonly #iterations = new Map<string, UserIteration>();
  #failures = 0;
  /** Total number of times that users waited because of a rate limit or a recorded pause. */
  #waits = 0;

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
    this.#repairs = repairs;
    this.#target = target;
    this.#mayRepair = mayRepair;
    this.#stop = stop;
    this.#lock = new LockStep(Array.from({ length: users }, (_, i) => i + 1), lead, most);
  }

  // A user whose iteration was aborted does not end its turn.
  abort(): void {
    this.#lock.unlock();
  }

  async before(request: Request, vu: SupervisedVu): Promise<Request> {
    const { draft, pauses } = this.#repairs;
    const { waits, sender, options } = this.#target;
    const index = draft.given.indexOf(request);
    if (index === undefined) return request; // It belongs to `setup` or `teardown`.
    await this.#lock.take(vu.id);
    options.onCall?.(index + 1, draft.requests.length);
    const user = this.#user(vu);
    if (user.responses === 0) {
      const pause = pauses.before(index, vu.iteration + 1);
      user.pause = pause > 0 && waits.take(pause) ? pause : 0;
      if (user.pause > 0) {
        user.waitsBefore++;
        await this.#wait(index, user.pause, "recorded pause");
      }
    }
    sender.takeExchanges(vu.session);
    const planned = draft.at(index);
    user.sentRequests.set(index, { request: planned, pause: user.pause });
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
    const { draft, attempts, variables } = this.#repairs;
    const { sender, options } = this.#target;
    const index = draft.given.indexOf(request);
    if (index === undefined) return false;
    const user = this.#user(vu);
    const exchanges = sender.takeExchanges(vu.session);
    user.responses++;
    const judging = { draft, attempts, variables, now: options.now() };
    const found = judgeCall(index, vu, user, exchanges, judging);
    if (await this.#waitForLimit(index, user, found)) return true;
    const judged = user.polls.judge(found, draft.given.repeatedAt(index));
    user.repetitions ??= this.#repeat(index, judged, vu, user);
    const { done, value } = user.repetitions.next(judged); // The first call only starts them.
    if (!done) {
      if (value > 0) await this.#wait(index, value, "the call failed; retrying after a pause");
      return true;
    }
    user.responses = 0;
    user.waits = 0;
    user.limitedBy = undefined;
    user.repetitions = undefined;
    this.#lock.release(vu.id);
    return false;
  }

  async #waitForLimit(index: number, user: UserIteration, found: JudgedCall): Promise<boolean> {
    const { waits } = this.#target;
    const { pauses } = this.#repairs;
    const { outcome, live } = found;
    const pause = pauses.possible(index);
    const isStated = headerValue(live?.headers ?? [], "retry-after") !== undefined;
    const mayRepeat = !user.polls.hasEnded(index) && this.#mayRepeat(index);
    const ms = await waits.waitForLimit(outcome, {
      status: live?.status,
      waits: mayRepeat ? user.waits : undefined,
      pause: isStated ? undefined : pause,
    });
    if (waits.overload !== undefined) this.#stop();
    if (ms === undefined) return false;
    this.#waits++;
    user.waits++;
    user.limitedBy = pause !== undefined && ms <= pause ? outcome : undefined;
    return true;
  }

  /**
   * Repeats a call until an attempt counts. Whenever the request must be sent again, yields the
   * time to wait before, and gets what was found out about the response.
   */
  *#repeat(
    index: number,
    first: JudgedCall,
    vu: SupervisedVu,
    user: UserIteration,
  ): Generator<number, void, JudgedCall> {
    const { pauses, trials } = this.#repairs;
    let judged = first;
    if (judged.isPending) {
      this.#add(judged, vu, user);
      return this.#countFailure(judged.outcome);
    }
    // After a lost session, only a refusal of the text of the call itself shows what to repair.
    const isOwn = !user.diverged || judged.outcome.isTaken === true;
    const mayTry = () => this.#mayRepair && isOwn && this.#mayRepeat(index);
    const isConfirmed = isDoubtful(judged.outcome) && mayTry();
    if (isConfirmed) {
      // If the unchanged request gets the recorded commands, they vary.
      this.#add(judged, vu, user, false);
      judged = yield 0;
    }
    const row = this.#add(judged, vu, user);
    let last: Tried = { judged, row, counted: row };
    if (row.succeeded && user.waits === 1 && this.#mayRepair) pauses.limit(index, user.limitedBy);
    const failed = row.succeeded ? undefined : this.#failedCall(judged, vu, user);
    if (failed !== undefined && mayTry()) {
      last = yield* this.#tryRepairs(failed, last, { vu, user, isConfirmed, mayTry });
    }
    const isProvoked = this.#mayRepair && trials.some((kind) => kind.provoked?.(last.row));
    if (isProvoked) user.diverged = true;
    // Not after learning: the request did not send a text that is only then made unique.
    const isRight = user.diverged || matchesRecording(last.counted.outcome);
    for (const kind of trials) kind.judge?.(index, isRight);
    if (!isProvoked && last.judged.evidence !== undefined) {
      this.#learn(index, last.judged.evidence.last, vu, user);
    }
    this.#count(last.counted, last.judged, user);
  }

  /** Describes a failed call for the trials. Undefined if its response is not the reason. */
  #failedCall(
    { outcome, compared }: JudgedCall,
    vu: SupervisedVu,
    user: UserIteration,
  ): FailedCall | undefined {
    const { draft, attempts } = this.#repairs;
    const { index, error, rateLimit } = outcome;
    const step = draft.recorded.at(index);
    if (compared === undefined || step === undefined) return undefined;
    if (error !== undefined || rateLimit !== undefined) return undefined;
    const others = [...this.#users.values()].filter((other) => other !== user);
    const own = { known: user.known, unique: vu.unique, steps: user.steps };
    const hasSucceeded = attempts.all(index).some(({ succeeded }) => succeeded);
    return { outcome, step, ...compared, user: own, others, hasSucceeded };
  }

  /**
   * Tries the repairs of a failed call in turn, and keeps the first that works. An edit of the plan
   * is tried only after the unchanged request failed again, and is undone if it does not help.
   */
  *#tryRepairs(
    failed: FailedCall,
    last: Tried,
    { vu, user, isConfirmed, mayTry }: {
      readonly vu: SupervisedVu;
      readonly user: UserIteration;
      readonly isConfirmed: boolean;
      readonly mayTry: () => boolean;
    },
  ): Generator<number, Tried, JudgedCall> {
    const { draft, trials } = this.#repairs;
    const { waits } = this.#target;
    const { index } = failed.outcome;
    const kinds = trials.filter((kind) => !user.diverged || kind.helpsLostSession);
    let mayEdit = isConfirmed;
    for (const trial of kinds.values().flatMap((kind) => kind.propose(failed))) {
      const { what, waitMs, edit, keep, failed: learn } = trial;
      if (edit !== undefined && !mayEdit) {
        // If the unchanged request succeeds, other text would only appear to help.
        mayEdit = true;
        const judged = yield 0;
        const row = this.#add(judged, vu, user);
        if (matchesRecording(row.outcome)) return { ...last, judged, row };
        last = { judged, row, counted: row };
      }
      if (!mayTry() || waitMs !== undefined && !waits.take(waitMs)) return last;
      const before = draft.save();
      const unedited = draft.at(index);
      edit?.();
      if (edit !== undefined && draft.at(index) === unedited) {
        draft.restore(before);
        learn?.(undefined);
        continue;
      }
      const judged = yield waitMs ?? 0;
      const row = this.#add(judged, vu, user);
      const isMatch = matchesRecording(row.outcome);
      last = { judged, row, counted: edit === undefined || isMatch ? row : last.counted };
      if (edit === undefined ? row.succeeded : isMatch) {
        keep();
        return last;
      }
      if (edit === undefined) continue;
      draft.restore(before);
      learn?.(judged.live);
      draft.explain(index, `with ${what}, the response still differs from the recording`);
    }
    return last;
  }

  /** Reports whether a request may be sent again: it is a read, or the write limit allows it. */
  #mayRepeat(index: number): boolean {
    return !this.#repairs.draft.isWrite(index) || this.#target.budget.left > 0;
  }

  async #wait(index: number, ms: number, why: string): Promise<void> {
    this.#waits++;
    await this.#target.waits.wait(ms, index, why);
  }

  #user(vu: SupervisedVu): UserIteration {
    const known = this.#users.get(vu.id);
    if (known?.iteration === vu.iteration) return known;
    const fresh = new UserIteration(vu.iteration, this.#waits);
    this.#users.set(vu.id, fresh);
    this.#iterations.set(`${vu.id} ${vu.iteration + 1}`, fresh);
    return fresh;
  }

  #add(
    { outcome, evidence, isPending }: JudgedCall,
    vu: SupervisedVu,
    user: UserIteration,
    isComparable = true,
  ): Attempt {
    const { attempts, draft, variables } = this.#repairs;
    const { index } = outcome;
    const succeeded = matchesRecording(outcome) && (evidence === undefined ||
      variables.findsAll(index, evidence.step.response, (name) => vu.get(name)));
    return attempts.add({
      outcome,
      succeeded,
      isFirst: user.responses === 1,
      pause: user.pause,
      isComparable: isComparable && !user.diverged && isPending === undefined && this.#mayRepair,
      related: user.related(index, draft),
      extractors: matchesRecording(outcome)
        ? JSON.stringify(draft.at(index).extract ?? [])
        : undefined,
    }, this.#waits > user.waitsBefore);
  }

  #learn(index: number, response: ResponseSnapshot, vu: SupervisedVu, user: UserIteration): void {
    const { draft } = this.#repairs;
    const { known, steps, diverged } = user;
    const live: LiveStep = {
      response,
      known,
      unique: vu.unique,
      set: (variable, value) => vu.set(variable, value),
      isOfOtherObject: (row) => isOfOtherObject(index, row, steps, draft),
    };
    steps.set(index, live);
    const others = [...this.#users.values()].flatMap((other) => other.steps.get(index) ?? [])
      .filter((other) => other !== live);
    const state = { diverged, mayEdit: this.#mayRepair };
    this.#repairs.learn(index, live, others, (variable) => vu.get(variable), state);
  }

  /** Adds to the outcome of a write what the later responses of its iteration show about it. */
  complete(outcome: CallOutcome): CallOutcome {
    const { index, user, iteration, writeDifferences = [] } = outcome;
    const found = this.#iterations.get(`${user} ${iteration}`)
      ?.judgeWrite(index, this.#repairs.draft);
    return {
      ...outcome,
      ...found,
      ...(found?.writeDifferences !== undefined && {
        writeDifferences: [...writeDifferences, ...found.writeDifferences],
      }),
    };
  }

  #count(row: Attempt, { compared }: JudgedCall, user: UserIteration): void {
    const { attempts, variables, draft } = this.#repairs;
    const { outcome } = row;
    const { index } = outcome;
    const isMatch = matchesRecording(outcome);
    if (compared !== undefined && isMatch && !user.diverged) {
      attempts.keepGood(index, compared.live);
    }
    if (!user.diverged && isMatch) variables.confirm(index);
    const content = compared !== undefined && isMatch
      ? compareContent(
        { ...compared, known: user.known, alike: draft.recorded.alike(index) },
        (text) => this.#target.options.redact?.(text) ?? text,
      )
      : undefined;
    attempts.count(row, { ...outcome, content });
    if (isSessionLost(outcome, draft.isWrite(index))) user.diverged = true;
    this.#countFailure(outcome);
  }

  #countFailure({ error, unsent }: CallOutcome): void {
    this.#failures = error !== undefined && !unsent ? this.#failures + 1 : 0;
    if (this.#failures >= MOST_FAILURES) this.#stop();
  }
}

/** Returns an extractor without its empty default, which would hide that the value is missing. */
function withoutDefault(extractor: Extractor): Extractor {
  return extractor.default === "" ? { ...extractor, default: undefined } : extractor;
}
