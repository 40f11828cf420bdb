import type { AddedRequest, Counted } from "./observations.ts";
import type { Difference, StaleValue, UnprovenValue } from "../compare/comparison.ts";

/** A request failure that was caused by the plan and not by the server. */
export interface PlanFault {
  /** The request's name in the plan. */
  readonly request: string;
  readonly message: string;
}

/**
 * Overall result of a verification. `stale`: the plan sent a value that the server had replaced.
 * `failed`: an extractor did not find a value, a request could not be sent, no request matched the
 * recording, or the recording does not belong to the plan. `differs`: a request differs from the
 * recorded one. `incomplete`: a recorded call was not sent, and the plan does not list it as left
 * out. `unproven`: the recording cannot show that all values are right, or the plan repeats recorded
 * writes. `consistent`: none of these applies. If several apply, the first one counts.
 */
export type VerificationVerdict =
  | "stale"
  | "failed"
  | "differs"
  | "incomplete"
  | "unproven"
  | "consistent";

/**
 * Result for one recorded call. `differs`: in places that do not depend on the server, the request
 * contains values other than the recorded ones. `not sent`: at least one iteration did not send the
 * call. `unproven` also applies if the recording lacks the response body of the call, or if the
 * call depends on a call that is stale, unproven or not sent.
 */
export type CallVerdict = "stale" | "unproven" | "differs" | "consistent" | "not sent";

/** Result for one recorded call. */
export interface VerifiedCall {
  /** Name of the call, such as `request 4 (POST /orders)`. */
  readonly call: string;
  /** One-based index of the entry in the HAR. */
  readonly entry: number;
  readonly verdict: CallVerdict;
  /**
   * Name of an earlier call that may fail and on which this call depends, so that this call may
   * fail too. Undefined if there is no such call, or if the requests for this call are themselves
   * stale, unproven or missing.
   */
  readonly dependsOn: string | undefined;
  /** Number of requests that matched the call. */
  readonly sent: number;
}

/** Result of running a plan against a recording. Each list is in the order of first occurrence. */
export interface Verification {
  readonly verdict: VerificationVerdict;
  /**
   * True if fewer than one in five requests looks like a recorded call, which means that the
   * recording does not belong to the plan.
   */
  readonly isForeign: boolean;
  readonly users: number;
  readonly iterations: number;
  /**
   * Number of recorded calls, except those that the plan leaves out on purpose. A plan is expected
   * to send each of them once per iteration.
   */
  readonly recorded: number;
  /** Number of requests that were sent. */
  readonly sent: number;
  /**
   * Number of requests that are equal to a recorded call, except for fresh and client-generated
   * values.
   */
  readonly matched: number;
  /**
   * `matched` divided by the number of sent or of expected requests, whichever is larger; 0 to 1.
   */
  readonly share: number;
  readonly stale: readonly Counted<StaleValue>[];
  readonly unproven: readonly Counted<UnprovenValue>[];
  readonly differing: readonly Counted<Difference>[];
  /**
   * Recorded calls that at least one iteration did not send. `count` is the number of missing
   * requests.
   */
  readonly neverMade: readonly Counted<{ readonly call: string }>[];
  /** Requests that the plan sends although they do not replay any recorded call. */
  readonly added: readonly Counted<AddedRequest>[];
  /**
   * Calls whose request or response body is not completely in the recording. A response body may
   * contain values that later requests send.
   */
  readonly missingBodies: readonly { readonly call: string }[];
  /** The recorded calls that the plan is expected to send, in order. */
  readonly calls: readonly VerifiedCall[];
  /** Failures of requests whose extractors did not find a value. */
  readonly nothingFound: readonly Counted<PlanFault>[];
  /** Failures of requests that could not be sent. */
  readonly unsent: readonly Counted<PlanFault>[];
}
