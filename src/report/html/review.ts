// The model of the review page, which `convert`, `verify` and `calibrate` write with `--html`. Each
// command builds a `Review` from its result; `reviewPage` renders it. Names of calls, such as
// `request 4 (POST /orders)`, connect the parts of a review.

/** Rating of a call, a value or a whole review. `open` means that the user has to decide. */
export type Rating = "good" | "open" | "bad";

/** Content of a review page. Its strings may contain recorded text, but no secrets. */
export interface Review {
  /** Heading, such as `Verification`. */
  readonly title: string;
  readonly rating: Rating;
  /** Result of `convert`, `verify` or `calibrate`, as one line of text. */
  readonly verdict: string;
  /** Additional lines about the result. */
  readonly facts: readonly string[];
  /** The calls of the session, in recorded order. */
  readonly calls: readonly ReviewCall[];
  /** Values that responses contain or that requests send. */
  readonly values: readonly ReviewValue[];
  readonly differences: readonly ReviewDifference[];
  readonly notes: readonly ReviewNote[];
}

/** A recorded call. */
export interface ReviewCall {
  /** Unique name of the call. Values and differences refer to the call by this name. */
  readonly name: string;
  /** One-based index of the entry in the HAR. Absent if the call is not in the recording. */
  readonly entry?: number;
  readonly method: string;
  readonly url: string;
  /** Recorded status. Absent if no response was recorded. */
  readonly status?: number;
  /** Verdict on the call, such as `stale`. */
  readonly result: string;
  readonly rating: Rating;
  readonly reason?: string;
}

/**
 * A value that responses contain or requests send, with the call whose response contains it and the
 * calls that send it.
 */
export interface ReviewValue {
  /** Name of the value's variable in the plan. Absent if the plan has no such variable. */
  readonly variable?: string;
  /** The recorded value. Absent if it is unknown. */
  readonly recorded?: string;
  /** The value that the live application returned instead of the recorded one. */
  readonly live?: string;
  /**
   * What the plan does with the value, such as `extracted`, or `sent as recorded` if it sends the
   * recorded value unchanged.
   */
  readonly result: string;
  readonly rating: Rating;
  /** Call whose response contains the value. Absent if no response contains it. */
  readonly from?: ReviewPlace;
  /** Calls that send the value, each with the part of the request that contains it. */
  readonly to: readonly ReviewPlace[];
  /** Reason for `result`. */
  readonly reason?: string;
  /** Change to make in the plan, as YAML with comments. */
  readonly edit?: string;
  /** The same change as one line of text. */
  readonly fix?: string | undefined;
  /** How often the value was sent. */
  readonly count?: number;
}

/** Location of a value: a call, and a part of its request or response. */
export interface ReviewPlace {
  /** Name of the call. The page links to it if `Review.calls` contains it. */
  readonly call: string;
  /**
   * Part of the request or response, such as `form csrf_token`, or the extractor that reads the
   * value.
   */
  readonly place?: string;
}

/** A difference between a call and its recording. */
export interface ReviewDifference {
  readonly call: string;
  /** What differs, such as `query page`. */
  readonly what: string;
  readonly recorded?: string | undefined;
  /** What was sent or returned instead of the recorded value. */
  readonly actual?: string | undefined;
  /** How often the difference occurred. */
  readonly count?: number;
}

/** A message about the session or the plan. */
export interface ReviewNote {
  readonly rating: Rating;
  /**
   * Kind of message: the code of a note from `convert`, such as `again-removed`, or a description
   * such as `pause added`.
   */
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
}
