import type { Extractor } from "../../plan/kinds/extractors.ts";
import type { Exchange } from "../../traffic/har/recording.ts";

/**
 * Origin of a stale value: the recording, an earlier response to the same user, or a response to
 * another user.
 */
export type Staleness = "as recorded" | "from an earlier response" | "another user's";

/**
 * A value that a request still contains even though the mock server replaced it with a fresh one.
 * May contain recorded text.
 */
export interface StaleValue {
  /** The recorded value. */
  readonly value: string;
  readonly why: Staleness;
  /** Name of the call that sent the value, such as `request 4 (POST /orders)`. */
  readonly call: string;
  /** Place in the request, such as `header x-csrf`. */
  readonly place: string;
  /** Name of the call whose response contains the value. */
  readonly producer: string;
  /**
   * Extractor to add to the plan. Undefined for cookies, which the cookie jar sends, and if no
   * extractor returns the recorded value.
   */
  readonly extractor: Extractor | undefined;
  /** Template to write in place of the value. Empty if there is no extractor. */
  readonly write: string;
}

/** Reason why a value is unproven. */
export type UnprovenReason =
  /**
   * An earlier response contains the value. The recording does not show whether the value changes.
   */
  | "response"
  /**
   * An earlier response contains the value, but the value looks like a constant of the application.
   */
  | "constant"
  /** The value looks random, and no earlier response contains it. */
  | "random"
  /** The recorded value is from a response, but the plan sends a different value in its place. */
  | "other value"
  /**
   * The plan takes the value from a response that contains it as the id of a different kind
   * of object.
   */
  | "other object"
  /**
   * The user typed the value. The plan sends it in each iteration, although the server may refuse
   * duplicates.
   */
  | "same text"
  /** The browser sent a cookie that no recorded response sets, and the plan does not send it. */
  | "cookie";

/**
 * A recorded value that the plan sends or replaces, although the recording does not show whether
 * that is right. Contains recorded text.
 */
export interface UnprovenValue {
  readonly value: string;
  readonly reason: UnprovenReason;
  /** Name of the call that sent the value. */
  readonly call: string;
  readonly place: string;
  /**
   * Name of the first earlier call whose response contains the value. Undefined if no earlier
   * response contains it.
   */
  readonly producer: string | undefined;
  /**
   * Extractor that reads the value from the response of `producer`. Undefined if no extractor
   * returns the value.
   */
  readonly extractor: Extractor | undefined;
  /**
   * Template to write in place of the value. For the reason `same text`, an example such as
   * `TEXT-${unique}`. Otherwise empty if `extractor` is undefined.
   */
  readonly write: string;
}

/** A place at which a request differs from its recorded call. Contains recorded text. */
export interface Difference {
  readonly call: string;
  readonly place: string;
  /** The recorded value at this place. Undefined if the recorded call has no such place. */
  readonly recorded: string | undefined;
  /** The sent value at this place. Undefined if the request has no such place. */
  readonly sent: string | undefined;
}

/** Result of comparing a request with a recorded call. */
export interface Comparison {
  /** The exchanges whose responses first contained the server-generated values of the request. */
  readonly sources: ReadonlySet<Exchange>;
  readonly stale: readonly StaleValue[];
  readonly differing: readonly Difference[];
  readonly unproven: readonly UnprovenValue[];
}
