import type { Difference, StaleValue, UnprovenValue } from "../compare/comparison.ts";

/** An item with its number of occurrences. */
export type Counted<Item> = Item & { readonly count: number };

/** A request that failed because of the plan, not because of the response. */
export interface PlanFault {
  /** The request's name in the plan. */
  readonly request: string;
  readonly message: string;
}

/**
 * `failed`: a stale value was sent, an extractor found nothing, a request could not be sent, or the
 * recording does not belong to the plan. `unproven`: none of these, but recorded literals were sent
 * that the server could regenerate. `consistent`: neither.
 */
export type VerificationVerdict = "failed" | "unproven" | "consistent";

/** The result of running a plan against a recording. Each list is in the order of the first occurrence. */
export interface Verification {
  readonly verdict: VerificationVerdict;
  /** Whether hardly any request matches a recorded call, so the recording does not belong to the plan. */
  readonly isForeign: boolean;
  readonly users: number;
  readonly iterations: number;
  /** Calls of the recording that a plan is expected to make, once. */
  readonly recorded: number;
  /** Requests that were sent. */
  readonly sent: number;
  /** Requests that matched the recording, apart from fresh values. */
  readonly matched: number;
  /** `matched` divided by the number of sent or expected requests, whichever is larger; 0 to 1. */
  readonly share: number;
  readonly stale: readonly Counted<StaleValue>[];
  readonly unproven: readonly Counted<UnprovenValue>[];
  readonly differing: readonly Counted<Difference>[];
  /** Calls missing in some iterations; `count` is the number of missing calls. */
  readonly neverMade: readonly Counted<{ readonly call: string }>[];
  /** Requests without a recorded call; the mock server responded with 404. */
  readonly unknown: readonly Counted<{ readonly method: string; readonly url: string }>[];
  /** Extractors that found nothing. */
  readonly nothingFound: readonly Counted<PlanFault>[];
  /** Requests that could not be sent. */
  readonly unsent: readonly Counted<PlanFault>[];
}
