import type { Effect, Obstacle } from "./effect.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import type { Usage } from "./usages.ts";

/**
 * Outcome of correlation for a value: `correlated` (replaced by a variable), `offered` (requires
 * `--correlate`), or the reason why the value stays as recorded.
 */
export type DecisionReason =
  | "correlated"
  | "offered"
  | "not sent"
  | "client's own"
  | "overlap"
  | "coincidence"
  | "constant"
  | "after a dollar"
  | "no source";

/**
 * A usage (an occurrence of a value in a request) for which the plan sends the recorded value, and
 * the reason.
 */
export interface KeptUsage extends Usage {
  readonly why: Obstacle;
}

/** The decision about one value, made before its variable gets a name. */
export interface Ruling {
  /** The value that the decision is about, as found in a response. */
  readonly candidate: Candidate;
  readonly verdict: DecisionReason;
  /**
   * Source that the user must add to `--correlate` to extract the value. Undefined unless the
   * verdict is `offered`.
   */
  readonly offeredBy: OptionalSource | undefined;
  readonly sent: readonly Usage[];
  /**
   * Occurrences of the value that the plan does not replace because of an `Obstacle`. Empty if the
   * value is correlated, because `others` then lists these occurrences.
   */
  readonly left: readonly KeptUsage[];
  /**
   * Occurrences of the value in requests that the candidate's variable would replace, including
   * those that are part of a longer value.
   */
  readonly replaced: readonly Usage[];
  /**
   * The other occurrences of the value in requests, including those that are part of a longer value,
   * except coincidences.
   */
  readonly others: readonly Outcome[];
}

/** An occurrence of a value in a request, and the effect of a variable on this occurrence. */
export interface Outcome {
  readonly usage: Usage;
  readonly effect: Effect;
}
