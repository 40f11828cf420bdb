import type { Candidate } from "./candidate.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";

/**
 * Reason why a request keeps the recorded value although a variable with that value exists. `other
 * type`: a string in the response and a number in the request. `after a dollar`: a template after `$`
 * would be an escape. `encoded`: the request percent-encodes it.
 */
export type Obstacle = "other type" | "after a dollar" | "encoded";

/**
 * Outcome of correlation for a value: `correlated` (replaced by a variable), `offered` (needs
 * `--correlate`), or the reason why it stays as recorded.
 */
export type DecisionReason =
  | "correlated"
  | "offered"
  | "not sent"
  | "client's own"
  | "overlap"
  | "short number"
  | "other type"
  | "after a dollar"
  | "no source";

/** The decision on one dynamic-looking value of the recording. */
export interface Decision {
  readonly value: string;
  readonly verdict: DecisionReason;
  /**
   * Response value that the variable is, or could be, extracted from. Undefined if no response contains
   * the value.
   */
  readonly candidate: Candidate | undefined;
  /** Name of the variable; undefined unless the value is correlated, offered or overlapping. */
  readonly variable: string | undefined;
  /**
   * Places in requests that contain the value. For `client's own`, includes those sent before the
   * response.
   */
  readonly sent: readonly Usage[];
  /** Usages that keep the recorded value although a variable exists, each with the obstacle. */
  readonly left: readonly KeptUsage[];
}

/** An occurrence of a value in a request. */
export interface Usage {
  readonly call: RecordedCall;
  readonly field: RequestField;
  /** Offset of the value in the decoded value of the field, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** A usage that keeps the recorded value, with the reason. */
export interface KeptUsage extends Usage {
  readonly why: Obstacle;
}
