import type { Source } from "../correlate/candidate.ts";

/** Options for a plan made from a HAR. */
export interface HarOptions {
  /** Hosts (`api.example.com`, with `:port` unless it is the default) or origins to keep; all when absent. */
  readonly origins?: readonly string[];
  /** Whether to replace literal credentials with references to `secrets`. */
  readonly secrets?: boolean;
  /** Whether to add the recorded pauses between calls. */
  readonly thinkTime?: boolean;
  /** Maximum pause in milliseconds; 30,000 when absent. */
  readonly maxThinkMs?: number;
  /** Whether to check the status of each response against the recorded one. */
  readonly statusChecks?: boolean;
  /** Whether to group consecutive calls of a page. */
  readonly groupByPage?: boolean;
  /** Sources to correlate in addition to JSON bodies. */
  readonly correlate?: ReadonlySet<Exclude<Source, "json">>;
  /** Whether to explain the decision on every dynamic-looking value in `explanation`. */
  readonly explain?: boolean;
}

/** Default maximum of recorded pauses, in milliseconds. */
export const MAX_THINK_MS = 30_000;
