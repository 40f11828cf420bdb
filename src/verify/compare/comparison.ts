import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";

/**
 * Origin of a stale value: the recording, an earlier response to the same user, or a response to
 * another user.
 */
export type Staleness = "as recorded" | "from an earlier response" | "another user's";

/**
 * A value that a request contains although the mock server had replaced it with a fresh value. May
 * contain recorded text.
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
  /** Extractor to add to the plan. Undefined for cookies, which the cookie jar sends. */
  readonly extractor: Extractor | undefined;
  /** Template to write in place of the value. Empty for cookies. */
  readonly write: string;
}

/**
 * A recorded literal that the plan still sends, although the server could regenerate it. Contains
 * recorded text.
 */
export interface UnprovenValue {
  readonly value: string;
  /** Name of the call that sent the value. */
  readonly call: string;
  readonly place: string;
  /**
   * Name of the first earlier call whose response contains the value, or undefined if the value only
   * looks random.
   */
  readonly producer: string | undefined;
}

/** A place at which a request differs from its recorded call. Contains recorded text. */
export interface Difference {
  readonly call: string;
  readonly place: string;
  /** The recorded value, or undefined if the recorded call lacks the place. */
  readonly recorded: string | undefined;
  /** The sent value, or undefined if the request lacks the place. */
  readonly sent: string | undefined;
}

/** Result of comparing a request with a recorded call. */
export interface Comparison {
  readonly stale: readonly StaleValue[];
  readonly differing: readonly Difference[];
  readonly unproven: readonly UnprovenValue[];
}

/** Result of the comparison if the request equals the recorded call. */
export const NO_DIFFERENCE: Comparison = { stale: [], differing: [], unproven: [] };
