import type { CallSelection } from "../../traffic/session/kept_calls.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { CheckLevel } from "./checks/response_checks.ts";
import type { OptionalSource } from "../../correlation/source_kinds.ts";

/** Options for converting a HAR to a plan. */
export interface HarOptions extends CallSelection {
  /** If true, replaces literal credentials with references to `secrets`. */
  readonly secrets?: boolean;
  /** If true, adds the recorded pauses between calls as think times. */
  readonly thinkTime?: boolean;
  /** Maximum think time in milliseconds. 30,000 when absent. */
  readonly maxThinkMs?: number;
  /**
   * How much of each response the plan checks against the recording. When absent, the plan has no
   * checks.
   */
  readonly checks?: CheckLevel;
  /** If true, puts consecutive calls of the same page into one group. */
  readonly groupByPage?: boolean;
  /** If true, requests that overlapped in the recording are sent in parallel. */
  readonly parallel?: boolean;
  /** Sources from which to extract values, in addition to JSON bodies. All when absent. */
  readonly correlate?: ReadonlySet<OptionalSource>;
  /**
   * A second recording of the same session. Values that differ are extracted or generated, from all
   * sources; values that are equal are sent as recorded.
   */
  readonly second?: Recording | undefined;
  /** If true, `HarConversion.explanation` explains the decision for every dynamic-looking value. */
  readonly explain?: boolean;
}

/** Default of `maxThinkMs`, the maximum think time in milliseconds. */
export const MAX_THINK_MS = 30_000;
