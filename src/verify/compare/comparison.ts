import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";

/** Why a value that was sent is stale. */
export type Staleness = "as recorded" | "from an earlier response" | "another user's";

/** A value that the server had regenerated, but that was sent unchanged. Holds recorded text. */
export interface StaleValue {
  /** As recorded. */
  readonly value: string;
  readonly why: Staleness;
  /** The call that sent it: `request 4 (POST /orders)`. */
  readonly call: string;
  /** Where in the request, such as `header x-csrf`. */
  readonly place: string;
  /** The call whose response contains the value. */
  readonly producer: string;
  /** Extractor to add; undefined for cookies, which the cookie jar sends. */
  readonly extractor: Extractor | undefined;
  /** What to write at the place; empty for cookies. */
  readonly write: string;
}

/** A recorded literal that the plan still sends and that the server could regenerate. Holds recorded text. */
export interface UnprovenValue {
  readonly value: string;
  /** The call that sent it. */
  readonly call: string;
  readonly place: string;
  /** The first earlier call whose response contains it; undefined if it only looks random. */
  readonly producer: string | undefined;
}

/** A place in which a call differs from the recorded one. Holds recorded text. */
export interface Difference {
  readonly call: string;
  readonly place: string;
  /** Undefined if the recorded call has no value at the place. */
  readonly recorded: string | undefined;
  /** Undefined if the request has no value at the place. */
  readonly sent: string | undefined;
}

/** Differences between a request and its recorded call. */
export interface Comparison {
  readonly stale: readonly StaleValue[];
  readonly differing: readonly Difference[];
  readonly unproven: readonly UnprovenValue[];
}

/** Judgement of a request that matches the recording. */
export const NO_DIFFERENCE: Comparison = { stale: [], differing: [], unproven: [] };
