import type { ResponseContent } from "../outcome/content.ts";
import { describeDifference } from "../outcome/difference.ts";
import type { JudgedResponse } from "../outcome/judge_response.ts";
import type { LoginDemand } from "../outcome/refusal.ts";
import type { Load } from "./budget.ts";

/** Headers that a recorded request sends, and that the plan's request lacks. */
export interface UnsentHeaders {
  readonly names: readonly string[];
  /** True if the live response names these headers. */
  readonly areNamed: boolean;
}

/** A literal in a request that may be a value of another user. */
export interface ForeignLiteral {
  /** Name of the field, parameter or member, or the path segment before the literal. */
  readonly name: string;
  readonly value: string;
}

/** Outcome of a call in one iteration of one user. */
export interface CallOutcome extends JudgedResponse {
  readonly user: number;
  readonly iteration: number;
  /** Zero-based index of the request in the plan. */
  readonly index: number;
  /** Reason why there is no response. Undefined if there is a response. */
  readonly error?: string;
  /** True if no request was sent, for example because a variable was not set. */
  readonly unsent?: true;
  /** Present if the live response differs and asks for a login, or may do so. */
  readonly demand?: LoginDemand;
  /** Literals of the request that may belong to another user. Only if the response differs. */
  readonly foreign?: readonly ForeignLiteral[];
  /** Recorded headers that the request lacks. Only if the response differs. */
  readonly unsentHeaders?: UnsentHeaders;
  /** Names of fields that only the live form has. Only if a write with the form's fields failed. */
  readonly newFields?: readonly string[];
  /** True if the response says that an object with a text of the request exists already. */
  readonly isTaken?: true;
  /** Seconds to wait before the call is sent again. Only if the server limits the rate. */
  readonly rateLimit?: number;
  /** How a write differs from the recorded request. Absent if it does not differ. */
  readonly sent?: readonly string[];
  /** Why the responses do not show that the write did its work. Absent if they do. */
  readonly unshown?: string;
  /** Differences in content. Undefined unless the response matches the recorded one. */
  readonly content?: ResponseContent;
}

/** A round in which calls are attempted: one run of the plan by one or several users. */
export interface Round {
  /** Name in reports, such as `pass 1`. */
  readonly name: string;
  readonly load: Load;
}

/** A row of the table of attempts: a request that was sent, or could not be sent. */
export interface Attempt {
  readonly round: Round;
  outcome: CallOutcome;
  /** True if the response is as recorded and all extractors found a value. */
  readonly works: boolean;
  /** True for the first attempt at the request in its iteration. */
  readonly isFirst: boolean;
  /** Pause that the calibration inserted before the request, in milliseconds. */
  readonly pause: number;
  /**
   * False if the result follows from something other than the plan: an earlier failure in the
   * iteration, a rate limit, or a wait that replaced the recorded pause.
   */
  readonly isComparable: boolean;
  /** Identifies everything that the response may depend on; see `SentRequests.related`. */
  readonly related: string;
  /**
   * Extractors of the request, as JSON. Undefined if the response differed from the recorded one.
   */
  readonly extractors?: string;
}

/** A call that failed at random: it both failed and succeeded although the plan did not change. */
export interface RandomFailure {
  /** Zero-based index of the call. */
  readonly index: number;
  /** Number of `attempts` whose response matched the recording. */
  readonly succeeded: number;
  /** Number of attempts that no change of the plan distinguishes from the first failed one. */
  readonly attempts: number;
  /** Name of the round with the first failed attempt, such as `pass 1`. */
  readonly round: string;
  readonly user: number;
  readonly iteration: number;
  /** Differences between the recorded response and the response to the first failed attempt. */
  readonly differences: readonly string[];
  /** Reason why the first failed attempt got no response. */
  readonly error?: string;
  /** Length, in milliseconds, of the recorded pause before the call, which the attempts omitted. */
  readonly pause?: number;
}

/** The table of all attempts, in the order in which they were made. All verdicts follow from it. */
export class Attempts {
  /** Lengths, in milliseconds, of the recorded pauses that the plan omits, by request index. */
  readonly missing: ReadonlyMap<number, number>;
  #round: Round = { name: "", load: "one user" };
  readonly #byCall = new Map<number, Attempt[]>();
  readonly #counted = new Map<Round, Attempt[]>();
  /** Calls that a trial of a pause has shown to fail at random. */
  readonly #marked = new Set<number>();

  constructor(missing: ReadonlyMap<number, number>) {
    this.missing = missing;
  }

  startRound(round: Round): void {
    this.#round = round;
    this.#counted.set(round, []);
  }

  /** Adds a row. `isDelayed` is true if another user's wait delayed the attempt. */
  add(row: Omit<Attempt, "round">, isDelayed: boolean): Attempt {
    const { outcome: { index, unsent, rateLimit }, isFirst, works, pause } = row;
    // A repetition, or a delay, takes the place of the recorded pause.
    const isLate = this.missing.has(index) && (!isFirst || works && isDelayed && pause === 0);
    const isComparable = row.isComparable && !isLate && unsent === undefined &&
      rateLimit === undefined;
    const added = { ...row, isComparable, round: this.#round };
    const own = this.#byCall.get(index);
    if (own === undefined) this.#byCall.set(index, [added]);
    else own.push(added);
    return added;
  }

  /** Makes a row the only one that counts for the call in its iteration. */
  count(row: Attempt, outcome: CallOutcome): void {
    row.outcome = outcome;
    this.#counted.get(row.round)!.push(row);
  }

  /** Replaces the outcomes of a round with the results of `map`. */
  complete(round: Round, map: (outcome: CallOutcome) => CallOutcome): void {
    for (const row of this.#counted.get(round) ?? []) row.outcome = map(row.outcome);
  }

  /** Returns the outcomes of the calls in a round, in the order in which the calls ended. */
  outcomes(round: Round | undefined): CallOutcome[] {
    return round === undefined ? [] : this.#counted.get(round)?.map(({ outcome }) => outcome) ?? [];
  }

  all(index: number): readonly Attempt[] {
    return this.#byCall.get(index) ?? [];
  }

  /**
   * Returns the attempts at a call without its pause, under the load of the current round and with
   * the latest state of the plan.
   */
  withoutPause(index: number): readonly Attempt[] {
    const found = this.#of(index).filter(({ outcome, pause, round }) =>
      outcome.error === undefined && pause === 0 && round.load === this.#round.load
    );
    return found.filter((one) => areComparable(one, found.at(-1)!));
  }

  inRound(index: number): readonly Attempt[] {
    return this.#of(index).filter(({ round }) => round === this.#round);
  }

  hasFailedAfterPause(index: number): boolean {
    return this.#of(index).some(({ works, pause }) => !works && pause > 0);
  }

  /** Marks a call as failing at random, because an attempt without its pause succeeded. */
  markRandom(index: number): void {
    this.#marked.add(index);
  }

  isRandom(index: number): boolean {
    return this.#randomFailure(index) !== undefined;
  }

  get random(): RandomFailure[] {
    return [...this.#byCall.keys()].flatMap((index) => {
      const failure = this.#randomFailure(index);
      return failure === undefined ? [] : [this.#describe(failure)];
    });
  }

  /**
   * Failures in the current round that may be random: the user's call has failed only once under
   * the current load, so another round must show whether it fails again.
   */
  get open(): CallOutcome[] {
    return [...this.#byCall.keys()].flatMap((index) => {
      if (this.isRandom(index)) return [];
      const users = Map.groupBy(this.#of(index), ({ outcome }) => outcome.user);
      return [...users.values()].flatMap((own) => {
        const last = own.at(-1)!;
        const failed = own.filter((one) =>
          one.related === last.related && one.round.load === this.#round.load && one.isFirst &&
          !one.works
        );
        const isOpen = !last.works && last.round === this.#round && failed.length === 1;
        return isOpen ? [last.outcome] : [];
      });
    });
  }

  #of(index: number): readonly Attempt[] {
    return this.all(index).filter(({ isComparable }) => isComparable);
  }

  /**
   * Returns the first failed attempt at a call that later succeeded for the same user, although
   * neither an edit nor a different load explains the success.
   */
  #randomFailure(index: number): Attempt | undefined {
    const own = this.#of(index);
    for (const [i, good] of own.entries()) {
      if (!good.works) continue;
      const failure = own.slice(0, i).find((one) => isContrary(one, good));
      if (failure !== undefined) return failure;
    }
    return this.#marked.has(index)
      ? own.find(({ works, pause }) => !works && pause === 0)
      : undefined;
  }

  #describe(failure: Attempt): RandomFailure {
    const { outcome: { index, user, iteration, differences, error }, round } = failure;
    const equal = this.#of(index).filter((one) => areComparable(one, failure));
    const missing = failure.pause === 0 ? this.missing.get(index) : undefined;
    return {
      index,
      succeeded: equal.filter(({ works }) => works).length,
      attempts: equal.length,
      round: round.name,
      user,
      iteration,
      differences: differences.map(describeDifference),
      ...(error !== undefined && { error }),
      ...(missing !== undefined && { pause: missing }),
    };
  }
}

function isContrary(failed: Attempt, good: Attempt): boolean {
  const isSameUser = failed.outcome.user === good.outcome.user;
  if (failed.works || !isSameUser || !areComparable(failed, good)) return false;
  // Users in lockstep may interfere with each other, so a success of staggered users does not
  // contradict their failure.
  return failed.round.load === good.round.load || failed.round.load === "one user";
}

/** Reports whether the plan was in the same state for two attempts, as far as it affects them. */
function areComparable(one: Attempt, other: Attempt): boolean {
  if (one.related !== other.related) return false;
  const isRead = one.extractors !== undefined && other.extractors !== undefined;
  return !isRead || one.extractors === other.extractors;
}

/** Reports whether a call got a response that matches the recorded one. */
export function isAsRecorded({ differences, error }: CallOutcome): boolean {
  return differences.length === 0 && error === undefined;
}
