import type { KnownPairs } from "../correlation/known_pairs.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RecordedStep } from "./recorded_side.ts";
import type { CallOutcome } from "./attempts.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/** What a user sends in an iteration in place of recorded values. */
export interface SentTexts {
  readonly known: KnownPairs;
  /** Value of `${unique}` in this iteration. */
  readonly unique: string;
}

/** A live response to a call, in one iteration of one user. */
export interface LiveStep extends SentTexts {
  readonly response: ResponseSnapshot;
  /** Sets a variable of the user. */
  set(variable: string, value: unknown): void;
}

/** The responses to a user in one iteration that are as recorded, by the number of the request. */
export interface LiveSteps {
  readonly steps: ReadonlyMap<number, LiveStep>;
}

/** A call whose response differs from the recorded one. */
export interface FailedCall {
  readonly outcome: CallOutcome;
  readonly step: RecordedStep;
  /** The live response that was compared with the recorded one. */
  readonly live: ResponseSnapshot;
  /** The request that was sent. */
  readonly sent: RecordedCall;
  readonly user: SentTexts & LiveSteps;
  readonly others: readonly LiveSteps[];
}

/**
 * A change of the plan, or of the time at which it sends a request, that may make the response as
 * recorded. The request is sent again with it. If the response is then as recorded, the change is
 * kept, otherwise it is undone.
 */
export interface Trial {
  /** What is tried, for `--explain`. */
  readonly what: string;
  /** Time to wait before the request is sent again, in milliseconds. */
  readonly waitMs?: number;
  /** Edits the plan. Absent if the trial only waits. */
  edit?(): void;
  /** Called if the response is then as recorded. */
  keep(): void;
}

/** One kind of thing that can be wrong with a plan. */
export interface TrialKind {
  /** Yields trials for a call, best first. The next one is requested after one has failed. */
  propose(failed: FailedCall): Iterable<Trial>;
}
