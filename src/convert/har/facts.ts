import type { Recording } from "../../traffic/har/recording.ts";
import type { Correlation } from "../correlate/correlate.ts";
import type { Draft } from "../correlate/draft.ts";
import type { KeptCalls } from "./kept_calls.ts";
import type { LeftOutValues } from "./left_out_values.ts";
import type { HarOptions } from "./har_options.ts";
import type { Redirects } from "./redirects.ts";
import type { Secret } from "./find_secrets.ts";

/** What a HAR's plan and its notes are drawn from. */
export interface HarFacts {
  readonly recording: Recording;
  readonly calls: KeptCalls;
  readonly options: HarOptions;
  readonly drafts: readonly Draft[];
  readonly baseUrl: string;
  readonly correlation: Correlation;
  readonly secrets: readonly Secret[];
  readonly redirects: Redirects;
  /** What the calls that are left out share with the kept ones. */
  readonly leftOut: LeftOutValues;
  /** Hides the credentials that were found in text that is shown. */
  readonly hide: (text: string) => string;
  /** What notes call a request: `request 4 (POST /orders)`. */
  readonly nameOf: (draft: Draft) => string;
}
