import type { Recording } from "../../traffic/har/recording.ts";
import type { Correlation } from "../correlate/correlate.ts";
import type { Draft } from "../correlate/draft.ts";
import type { KeptCalls } from "./kept_calls.ts";
import type { HarOptions } from "./options.ts";
import type { Secret } from "./secrets.ts";

/** What the notes are drawn from. */
export interface HarFacts {
  readonly recording: Recording;
  readonly calls: KeptCalls;
  readonly options: HarOptions;
  readonly drafts: readonly Draft[];
  readonly baseUrl: string;
  readonly correlation: Correlation;
  readonly secrets: readonly Secret[];
  /** Calls whose recorded redirect the plan does not follow. */
  readonly stopped: ReadonlySet<Draft>;
  /** Calls whose recorded redirect the plan follows. */
  readonly followed: readonly Draft[];
  /** What notes call a request: `request 4 (POST /orders)`. */
  readonly nameOf: (draft: Draft) => string;
}
