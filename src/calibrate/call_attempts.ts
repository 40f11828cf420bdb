import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import type { SupervisedVu } from "../engine/flow/scope.ts";
import { compareContent } from "../outcome/content.ts";
import { isDoubtful } from "../outcome/judge_response.ts";
import { type Attempt, type CallOutcome, matchesRecording } from "./attempts.ts";
import type { JudgedCall } from "./judge_call.ts";
import type { LiveTarget } from "./live_target.ts";
import type { Repairs } from "./repairs.ts";
import type { UserIteration } from "./round_users.ts";
import { isOfOtherObject } from "./row_objects.ts";
import type { FailedCall, LiveStep } from "./trial.ts";

/** The round to which the attempts at a call belong. */
export interface SupervisedRound {
  readonly repairs: Repairs;
  readonly target: LiveTarget;
  /** False in a round that only counts the calls that are as recorded. */
  readonly mayRepair: boolean;
  /** The current iteration of each user. */
  readonly users: ReadonlyMap<number, UserIteration>;
  /** Total number of times that users waited because of a rate limit or a recorded pause. */
  readonly waits: number;
  /** Counts the consecutive calls without a response. */
  countFailure(outcome: CallOutcome): void;
}

/** The last attempt at a call, and the one that counts: the last without a failed edit. */
interface LastAttempt {
  readonly judged: JudgedCall;
  readonly row: Attempt;
  readonly counted: Attempt;
}

/** Repeats a call of a user until an attempt counts: with the repairs that may make it succeed. */
export class CallAttempts {
  /** Length of the added pause before the call, in milliseconds. */
  readonly pause: number;
  responses = 0;
  /**
   * The waits because of a rate limit: the outcome that it refused if the recorded pause is at
   * least as long as the wait, otherwise undefined.
   */
  readonly limits: (CallOutcome | undefined)[] = [];
  readonly #round: SupervisedRound;
  readonly #index: number;
  readonly #vu: SupervisedVu;
  readonly #user: UserIteration;
  #repetitions: Generator<number, void, JudgedCall> | undefined;

  constructor(
    round: SupervisedRound,
    index: number,
    vu: SupervisedVu,
    user: UserIteration,
    pause: number,
  ) {
    this.#round = round;
    this.#index = index;
    this.#vu = vu;
    this.#user = user;
    this.pause = pause;
  }

  /** True if the request may be sent again: it is a read, or the write limit allows it. */
  get mayRepeat(): boolean {
    const { repairs, target } = this.#round;
    return !repairs.draft.isWrite(this.#index) || target.budget.left > 0;
  }

  /**
   * Adds an attempt. Returns the time to wait before the request is sent again, in milliseconds;
   * undefined if an attempt counts.
   */
  next(judged: JudgedCall): number | undefined {
    const isFirst = this.#repetitions === undefined;
    this.#repetitions ??= this.#repeat(judged);
    const { value } = isFirst ? this.#repetitions.next() : this.#repetitions.next(judged);
    return value ?? undefined;
  }

  /**
   * Repeats a call until an attempt counts. Whenever the request must be sent again, yields the
   * time to wait before, and gets what was found out about the response.
   */
  *#repeat(first: JudgedCall): Generator<number, void, JudgedCall> {
    const { repairs: { pauses, trials }, mayRepair } = this.#round;
    let judged = first;
    if (judged.isPending) {
      this.#add(judged);
      return this.#round.countFailure(judged.outcome);
    }
    // After a lost session, only a refusal of the text of the call itself shows what to repair.
    const isOwn = !this.#user.diverged || judged.outcome.isTaken === true;
    const mayTry = () => mayRepair && isOwn && this.mayRepeat;
    const isConfirmed = isDoubtful(judged.outcome) && mayTry();
    if (isConfirmed) {
      // If the unchanged request gets the recorded commands, they vary.
      this.#add(judged, false);
      judged = yield 0;
    }
    const row = this.#add(judged);
    let last: LastAttempt = { judged, row, counted: row };
    const { limits } = this;
    if (row.succeeded && limits.length === 1 && mayRepair) pauses.limit(this.#index, limits[0]);
    const failed = row.succeeded ? undefined : this.#failedCall(judged);
    if (failed !== undefined && mayTry()) {
      last = yield* this.#tryRepairs(failed, last, isConfirmed, mayTry);
    }
    const isProvoked = mayRepair && trials.some((kind) => kind.provoked?.(last.row));
    if (isProvoked) this.#user.diverged = true;
    // Not after learning: the request did not send a text that is only then made unique.
    const isRight = this.#user.diverged || matchesRecording(last.counted.outcome);
    for (const kind of trials) kind.judge?.(this.#index, isRight);
    if (!isProvoked && last.judged.evidence !== undefined) this.#learn(last.judged.evidence.last);
    this.#count(last.counted, last.judged);
  }

  /** Describes a failed call for the trials. Undefined if its response is not the reason. */
  #failedCall({ outcome, compared }: JudgedCall): FailedCall | undefined {
    const { repairs: { draft, attempts }, users } = this.#round;
    const { index, error, rateLimit } = outcome;
    const step = draft.recorded.at(index);
    if (compared === undefined || step === undefined) return undefined;
    if (error !== undefined || rateLimit !== undefined) return undefined;
    const { known, steps } = this.#user;
    const others = [...users.values()].filter((other) => other !== this.#user);
    const user = { known, unique: this.#vu.unique, steps };
    const hasSucceeded = attempts.all(index).some(({ succeeded }) => succeeded);
    return { outcome, step, ...compared, user, others, hasSucceeded };
  }

  /**
   * Tries the repairs of a failed call in turn, and keeps the first that works. An edit of the plan
   * is tried only after the unchanged request failed again, and is undone if it does not help.
   */
  *#tryRepairs(
    failed: FailedCall,
    last: LastAttempt,
    isConfirmed: boolean,
    mayTry: () => boolean,
  ): Generator<number, LastAttempt, JudgedCall> {
    const { repairs: { draft, trials }, target: { waits } } = this.#round;
    const index = this.#index;
    const kinds = trials.filter((kind) => !this.#user.diverged || kind.helpsLostSession);
    let mayEdit = isConfirmed;
    for (const trial of kinds.values().flatMap((kind) => kind.propose(failed))) {
      const { what, waitMs, edit, keep, failed: learn } = trial;
      if (edit !== undefined && !mayEdit) {
        // If the unchanged request succeeds, other text would only appear to help.
        mayEdit = true;
        const judged = yield 0;
        const row = this.#add(judged);
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
      const row = this.#add(judged);
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

  #add({ outcome, evidence, isPending }: JudgedCall, isComparable = true): Attempt {
    const { repairs: { attempts, draft, variables }, mayRepair, waits } = this.#round;
    const [index, user, vu] = [this.#index, this.#user, this.#vu];
    const isMatch = matchesRecording(outcome);
    const succeeded = isMatch && (evidence === undefined ||
      variables.findsAll(index, evidence.step.response, (name) => vu.get(name)));
    return attempts.add({
      outcome,
      succeeded,
      isFirst: this.responses === 1,
      pause: this.pause,
      isComparable: isComparable && !user.diverged && isPending === undefined && mayRepair,
      related: user.related(index, draft),
      extractors: isMatch ? JSON.stringify(draft.at(index).extract ?? []) : undefined,
    }, waits > user.waitsBefore);
  }

  #learn(response: ResponseSnapshot): void {
    const { repairs, users, mayRepair: mayEdit } = this.#round;
    const [index, vu] = [this.#index, this.#vu];
    const { known, steps, diverged } = this.#user;
    const live: LiveStep = {
      response,
      known,
      unique: vu.unique,
      set: (variable, value) => vu.set(variable, value),
      isOfOtherObject: (row) => isOfOtherObject(index, row, steps, repairs.draft),
    };
    steps.set(index, live);
    const others = [...users.values()].flatMap((other) => other.steps.get(index) ?? [])
      .filter((other) => other !== live);
    repairs.learn(index, live, others, (variable) => vu.get(variable), { diverged, mayEdit });
  }

  #count(row: Attempt, { compared }: JudgedCall): void {
    const { repairs: { attempts, variables, draft }, target } = this.#round;
    const [index, user] = [this.#index, this.#user];
    const { outcome } = row;
    const isMatch = matchesRecording(outcome);
    if (compared !== undefined && isMatch && !user.diverged) {
      attempts.keepGood(index, compared.live);
    }
    if (!user.diverged && isMatch) variables.confirm(index);
    const content = compared !== undefined && isMatch
      ? compareContent(
        { ...compared, known: user.known, alike: draft.recorded.alike(index) },
        (text) => target.options.redact?.(text) ?? text,
      )
      : undefined;
    attempts.count(row, { ...outcome, content });
    if (isSessionLost(outcome, draft.isWrite(index))) user.diverged = true;
    this.#round.countFailure(outcome);
  }
}

/**
 * Reports whether later responses in the iteration say nothing about the plan, because a write had
 * no effect, the user is no longer logged in, or the server did not respond.
 */
export function isSessionLost(outcome: CallOutcome, isWrite: boolean): boolean {
  const { differences, error, unsent, demand } = outcome;
  if (error !== undefined) return isWrite || !unsent;
  if (differences.length === 0) return false;
  return isWrite || demand === "login" ||
    differences.some(({ kind, live }) =>
      kind === "location" || (kind === "status" && /^(?:3..|401|403)$/.test(live))
    );
}
