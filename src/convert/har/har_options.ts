import type { Source } from "../correlate/candidate.ts";

/** What a user may choose about a plan made from a HAR. */
export interface HarOptions {
  /** Hosts (`api.example.com`, with `:port` where it is not the scheme's own) or origins to keep; all when absent. */
  readonly origins?: readonly string[];
  /** Move literal credentials to `secrets:`. */
  readonly secrets?: boolean;
  /** Put the recorded gaps between calls in. */
  readonly thinkTime?: boolean;
  /** The longest gap to put in, in milliseconds (30,000). */
  readonly maxThinkMs?: number;
  /** Check each response's status against the recorded one. */
  readonly statusChecks?: boolean;
  /** Group consecutive calls of one page. */
  readonly groupByPage?: boolean;
  /** What is correlated beside JSON bodies. */
  readonly correlate?: ReadonlySet<Exclude<Source, "json">>;
  /** Account for every dynamic-looking value in `explanation`. */
  readonly explain?: boolean;
}

/** The longest recorded pause that is kept unless the user says otherwise. */
export const MAX_THINK_MS = 30_000;
