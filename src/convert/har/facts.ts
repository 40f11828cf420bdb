import type { Correlation } from "../../correlation/correlate.ts";
import type { Replacements } from "../../correlation/replace.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import type { MainOrigin } from "../../traffic/har/origins.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import type { CallSelection, KeptCalls, Redirects } from "../../traffic/session/kept_calls.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { CheckLevel, MaskValues } from "./checks.ts";
import type { ClientId } from "./client_ids.ts";
import type { Poll } from "./polls.ts";
import type { Secret } from "./secrets.ts";
import type { PlannedStream } from "./plan_streams.ts";

/** A recorded session, and what decides how a plan replays it. */
export interface SessionFacts {
  readonly recording: Recording;
  readonly kept: KeptCalls;
  /** Excluded calls whose responses contain a value, and the first request that sends it. */
  readonly leftOut: readonly { readonly exchange: Exchange; readonly sender: RecordedCall }[];
  readonly options: HarOptions;
  readonly calls: readonly RecordedCall[];
  readonly mainOrigin: MainOrigin;
  readonly correlation: Correlation;
  readonly extractorsOf: (call: RecordedCall) => readonly Extractor[];
  readonly ids: readonly ClientId[];
  readonly redirects: Redirects;
  /** Returns text with `0` in place of the values that differ in each run. */
  readonly mask: MaskValues;
  /**
   * Replaces the recording's credentials in `text` with `********`, so that the text can be shown.
   */
  readonly hide: (text: string) => string;
}

export interface HarFacts extends SessionFacts {
  readonly replacements: Replacements;
  readonly secrets: readonly Secret[];
  readonly streams: ReadonlyMap<RecordedCall, PlannedStream>;
  readonly polls: ReadonlyMap<RecordedCall, Poll>;
  /** Returns the name of a request in the plan, such as `POST /orders/${id}`. */
  readonly requestNameOf: (call: RecordedCall) => string;
}

export interface NoteFacts extends HarFacts {
  /**
   * Returns the name of a call for use in notes, such as `request 4 (POST /orders)`. The number is
   * that of the request in the plan. Calls that no request of the plan replays have no number.
   */
  readonly nameOf: (call: RecordedCall) => string;
}

/** Options for converting a HAR to a plan. */
export interface HarOptions extends CallSelection {
  readonly secrets?: boolean;
  readonly thinkTime?: boolean;
  /** Maximum think time in milliseconds. 30,000 when absent. */
  readonly maxThinkMs?: number;
  /**
   * How much of each response the plan checks against the recording. When absent, the plan has no
   * checks.
   */
  readonly checks?: CheckLevel;
  readonly groupByPage?: boolean;
  readonly parallel?: boolean;
  readonly jsonOnly?: boolean;
  /**
   * A second recording of the same session. Values that differ are extracted or generated, from all
   * sources; values that are equal are sent as recorded.
   */
  readonly second?: Recording | undefined;
  readonly explain?: boolean;
}
