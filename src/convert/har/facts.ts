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
  /** Excluded calls with a value in their response, and its first sender. */
  readonly leftOut: readonly { readonly exchange: Exchange; readonly sender: RecordedCall }[];
  readonly options: HarOptions;
  readonly calls: readonly RecordedCall[];
  readonly mainOrigin: MainOrigin;
  readonly correlation: Correlation;
  readonly extractorsOf: (call: RecordedCall) => readonly Extractor[];
  readonly ids: readonly ClientId[];
  readonly redirects: Redirects;
  /** Puts `0` for values that differ in each run. */
  readonly mask: MaskValues;
  /** Replaces the recording's credentials with `********`. */
  readonly hide: (text: string) => string;
}

export interface HarFacts extends SessionFacts {
  readonly replacements: Replacements;
  readonly secrets: readonly Secret[];
  readonly streams: ReadonlyMap<RecordedCall, PlannedStream>;
  readonly polls: ReadonlyMap<RecordedCall, Poll>;
  /** Name in the plan, such as `POST /orders/${id}`. */
  readonly requestNameOf: (call: RecordedCall) => string;
}

export interface NoteFacts extends HarFacts {
  /** Name in notes, such as `request 4 (POST /orders)`, without a number if it is not sent. */
  readonly nameOf: (call: RecordedCall) => string;
}

/** Options for converting a HAR to a plan. */
export interface HarOptions extends CallSelection {
  readonly secrets?: boolean;
  readonly thinkTime?: boolean;
  /** 30,000 when absent. */
  readonly maxThinkMs?: number;
  /** Without it, the plan has no checks. */
  readonly checks?: CheckLevel;
  readonly groupByPage?: boolean;
  readonly parallel?: boolean;
  readonly jsonOnly?: boolean;
  /** Of the same session. Values that differ are extracted or generated; others are sent. */
  readonly second?: Recording | undefined;
  readonly explain?: boolean;
}
