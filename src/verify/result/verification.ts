import type { Difference, StaleValue, UnprovenValue } from "../compare/comparison.ts";

/** An item, and how often it occurred. */
export type Counted<Item> = Item & { readonly count: number };

/** A failure of a request that the plan caused, not the server. */
export interface PlanFault {
  /** The request's name in the plan. */
  readonly request: string;
  readonly message: string;
}

/**
 * Overall result of a verification. `failed`: a stale value was sent, an extractor found nothing, a
 * request could not be sent, or the recording does not belong to the plan. `unproven`: the plan did not
 * fail, but sends recorded literals that the server could regenerate. `consistent`: the plan did not
 * fail and sends no such literals.
 */
export type VerificationVerdict = "failed" | "unproven" | "consistent";

/** Result of running a plan against a recording. Each list is in the order of first occurrence. */
export interface Verification {
  readonly verdict: VerificationVerdict;
  /**
   * True if fewer than one in five requests matches a recorded call, so that the recording does not
   * belong to the plan.
   */
  readonly isForeign: boolean;
  readonly users: number;
  readonly iterations: number;
  /** Number of recorded calls. A plan is expected to send each of them once per iteration. */
  readonly recorded: number;
  /** Number of requests that were sent. */
  readonly sent: number;
  /** Number of requests that are equal to a recorded call, except for fresh values. */
  readonly matched: number;
  /** `matched` divided by the number of sent or of expected requests, whichever is larger; 0 to 1. */
  readonly share: number;
  readonly stale: readonly Counted<StaleValue>[];
  readonly unproven: readonly Counted<UnprovenValue>[];
  readonly differing: readonly Counted<Difference>[];
  /**
   * Recorded calls that at least one iteration did not send. `count` is the number of missing requests.
   */
  readonly neverMade: readonly Counted<{ readonly call: string }>[];
  /** Requests that match no recorded call, to which the mock server responded with 404. */
  readonly unknown: readonly Counted<{ readonly method: string; readonly url: string }>[];
  /** Faults of extractors that found nothing. */
  readonly nothingFound: readonly Counted<PlanFault>[];
  /** Faults of requests that could not be sent. */
  readonly unsent: readonly Counted<PlanFault>[];
}
