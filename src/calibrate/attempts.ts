import type { ContentDifference } from "../outcome/content.ts";
import { describeDifference } from "../outcome/difference.ts";
import type { JudgedResponse } from "../outcome/judge_response.ts";
import type { LoginDemand } from "../outcome/refusal.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";

export interface UnsentHeaders {
  readonly names: readonly string[];
  readonly areNamed: boolean;
}

export interface ForeignLiteral {
  /** Name of the field, parameter or member, or the path segment before the literal. */
  readonly name: string;
  readonly value: string;
}

export interface CallOutcome extends JudgedResponse {
  readonly user: number;
  readonly iteration: number;
  readonly index: number;
  readonly error?: string;
  /** True if no request was sent, for example because a variable was not set. */
  readonly unsent?: true;
  readonly demand?: LoginDemand;
  readonly foreign?: readonly ForeignLiteral[];
  readonly unsentHeaders?: UnsentHeaders;
  /** Names of fields that only the live form has. Only if a write with the form's fields failed. */
  readonly newFields?: readonly string[];
  /** True if the response says that an object with a text of the request exists already. */
  readonly isTaken?: true;
  /** Seconds to wait before the call is sent again. Only if the server limits the rate. */
  readonly rateLimit?: number;
  /** How a write differs from the recorded request, although the response is as recorded. */
  readonly writeDifferences?: readonly string[];
  readonly unshown?: string;
  readonly content?: readonly ContentDifference[];
}

export type RoundLoad = "one user" | "lock step" | "staggered";

export const MOST_PASSES = 3;
/** Numbers of users and iterations in a round that can prove that the plan works. */
export const PROVING_LOAD = { users: 2, iterations: 2 } as const;
/** Maximum number of rounds with two users in lockstep. Such a round can prove the plan. */
export const MOST_PROVING_ROUNDS = 3;

/** Maximum number of rounds that compare the repaired plan with others. */
export const MOST_COMPARED = 5;

export interface Round {
  readonly name: string;
  readonly load: RoundLoad;
}

/** A row of the table of attempts: a request that was sent, or could not be sent. */
export interface Attempt {
  readonly round: Round;
  outcome: CallOutcome;
  /** True if the response is as recorded and all extractors found a value. */
  readonly succeeded: boolean;
  readonly isFirst: boolean;
  /** Pause that the calibration inserted before the request, in milliseconds. */
  readonly pause: number;
  /**
   * False if the result follows from something other than the plan: an earlier failure in the
   * iteration, a rate limit, or a wait that replaced the recorded pause.
   */
  readonly isComparable: boolean;
  /** Identifies everything that the response may depend on; see `UserIteration.related`. */
  readonly related: string;
  /**
   * Extractors of the request, as JSON. Undefined if the response differed from the recorded one.
   */
  readonly extractors?: string;
}

/** A call that failed at random: it both failed and succeeded although the plan did not change. */
export interface RandomFailure {
  readonly index: number;
  readonly succeeded: number;
  /** Number of attempts that no change of the plan distinguishes from the first failed one. */
  readonly attempts: number;
  readonly round: string;
  readonly user: number;
  readonly iteration: number;
  readonly differences: readonly string[];
  readonly error?: string;
  /** Length, in milliseconds, of the recorded pause before the call, which the attempts omitted. */
  readonly pause?: number;
}

/** Maximum number of right live responses to a call that are kept. */
const MOST_GOOD = 4;

/** The table of all attempts, in the order in which they were made. All verdicts follow from it. */
export class Attempts {
  /** Lengths, in milliseconds, of the recorded pauses that the plan omits, by request index. */
  readonly missing: ReadonlyMap<number, number>;
  #round: Round = { name: "", load: "one user" };
  readonly #byCall = new Map<number, Attempt[]>();
  readonly #counted = new Map<Round, Attempt[]>();
  readonly #marked = new Set<number>();
  readonly #goodResponses = new Map<number, ResponseSnapshot[]>();

  constructor(missing: ReadonlyMap<number, number>) {
    this.missing = missing;
  }

  startRound(round: Round): void {
    this.#round = round;
    this.#counted.set(round, []);
  }

  /** Adds a row. `isDelayed` is true if another user's wait delayed the attempt. */
  add(row: Omit<Attempt, "round">, isDelayed: boolean): Attempt {
    const { outcome: { index, unsent, rateLimit }, isFirst, succeeded, pause } = row;
    // A repetition, or a delay, takes the place of the recorded pause.
    const isLate = this.missing.has(index) && (!isFirst || succeeded && isDelayed && pause === 0);
    const isComparable = row.isComparable && !isLate && unsent === undefined &&
      rateLimit === undefined;
    const added = { ...row, isComparable, round: this.#round };
    this.#byCall.getOrInsertComputed(index, () => []).push(added);
    return added;
  }

  count(row: Attempt, outcome: CallOutcome): void {
    row.outcome = outcome;
    this.#counted.get(row.round)!.push(row);
  }

  /** Keeps a live response that is as recorded to a call, to learn what varies between them. */
  keepGood(index: number, live: ResponseSnapshot): void {
    const known = this.#goodResponses.getOrInsertComputed(index, () => []);
    if (known.length < MOST_GOOD) known.push(live);
  }

  goodResponses(index: number): readonly ResponseSnapshot[] {
    return this.#goodResponses.get(index) ?? [];
  }

  complete(round: Round, map: (outcome: CallOutcome) => CallOutcome): void {
    for (const row of this.#counted.get(round) ?? []) row.outcome = map(row.outcome);
  }

  /** Returns the rounds that started before a round. */
  roundsBefore(round: Round): Round[] {
    const rounds = [...this.#counted.keys()];
    return rounds.slice(0, rounds.indexOf(round));
  }

  outcomes(round: Round): CallOutcome[] {
    return this.#counted.get(round)?.map(({ outcome }) => outcome) ?? [];
  }

  /** Returns the outcomes of the first attempts of a round, without the repetitions. */
  firstIn(round: Round): CallOutcome[] {
    return [...this.#byCall.values()].flat()
      .flatMap((attempt) => attempt.round === round && attempt.isFirst ? [attempt.outcome] : []);
  }

  /** Returns the calls whose responses all match the recording in one of the rounds. */
  matchingCalls(rounds: readonly Round[]): Set<number> {
    return new Set(
      rounds.flatMap((round) =>
        [...Map.groupBy(this.outcomes(round), ({ index }) => index)]
          .flatMap(([index, own]) => own.every(matchesRecording) ? [index] : [])
      ),
    );
  }

  all(index: number): readonly Attempt[] {
    return this.#byCall.get(index) ?? [];
  }

  withoutPause(index: number): readonly Attempt[] {
    const unpaused = this.#of(index).filter(({ outcome, pause, round }) =>
      outcome.error === undefined && pause === 0 && round.load === this.#round.load
    );
    return unpaused.filter((attempt) => areComparable(attempt, unpaused.at(-1)!));
  }

  inRound(index: number): readonly Attempt[] {
    return this.#of(index).filter(({ round }) => round === this.#round);
  }

  hasFailedAfterPause(index: number): boolean {
    return this.#of(index).some(({ succeeded, pause }) => !succeeded && pause > 0);
  }

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
   * Failures in the current round of which it is undecided whether they are random: the user's call
   * has failed only once.
   */
  get undecided(): CallOutcome[] {
    return [...this.#byCall.keys()].flatMap((index) => {
      if (this.isRandom(index)) return [];
      const users = Map.groupBy(this.#of(index), ({ outcome }) => outcome.user);
      return [...users.values()].flatMap((own) => {
        const last = own.at(-1)!;
        const failed = own.filter((attempt) =>
          attempt.related === last.related && attempt.round.load === this.#round.load &&
          attempt.isFirst &&
          !attempt.succeeded
        );
        const isOnlyFailure = !last.succeeded && last.round === this.#round &&
          failed.length === 1;
        return isOnlyFailure ? [last.outcome] : [];
      });
    });
  }

  #of(index: number): readonly Attempt[] {
    return this.all(index).filter(({ isComparable }) => isComparable);
  }

  /** Returns the first failed attempt that a later success contradicts without an edit. */
  #randomFailure(index: number): Attempt | undefined {
    const own = this.#of(index);
    for (const [i, good] of own.entries()) {
      if (!good.succeeded) continue;
      const failure = own.slice(0, i).find((attempt) => isContrary(attempt, good));
      if (failure !== undefined) return failure;
    }
    return this.#marked.has(index)
      ? own.find(({ succeeded, pause }) => !succeeded && pause === 0)
      : undefined;
  }

  #describe(failure: Attempt): RandomFailure {
    const { outcome: { index, user, iteration, differences, error }, round } = failure;
    const equal = this.#of(index).filter((attempt) => areComparable(attempt, failure));
    return {
      index,
      succeeded: equal.filter(({ succeeded }) => succeeded).length,
      attempts: equal.length,
      round: round.name,
      user,
      iteration,
      differences: differences.map(describeDifference),
      error,
      pause: failure.pause === 0 ? this.missing.get(index) : undefined,
    };
  }
}

function isContrary(failed: Attempt, good: Attempt): boolean {
  const isSameUser = failed.outcome.user === good.outcome.user;
  if (failed.succeeded || !isSameUser || !areComparable(failed, good)) return false;
  // Users in lockstep may interfere with each other, so a success of staggered users does not
  // contradict their failure.
  return failed.round.load === good.round.load || failed.round.load === "one user";
}

/** Reports whether the plan was in the same state for two attempts, as far as it affects them. */
function areComparable(first: Attempt, second: Attempt): boolean {
  if (first.related !== second.related) return false;
  const isRead = first.extractors !== undefined && second.extractors !== undefined;
  return !isRead || first.extractors === second.extractors;
}

/** Reports whether the response of an attempt is as recorded. */
export function matchesRecording({ differences, error }: CallOutcome): boolean {
  return differences.length === 0 && error === undefined;
}
