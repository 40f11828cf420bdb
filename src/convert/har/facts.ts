import type { Recording } from "../../traffic/har/recording.ts";
import type { Correlation } from "../correlate/correlate.ts";
import type { Draft } from "../correlate/draft.ts";
import type { KeptCalls } from "./kept_calls.ts";
import type { LeftOutValues } from "./left_out_values.ts";
import type { HarOptions } from "./har_options.ts";
import type { Redirects } from "./redirects.ts";
import type { Secret } from "./find_secrets.ts";

/** Everything that a HAR's plan and its notes are built from. */
export interface HarFacts {
  readonly recording: Recording;
  readonly calls: KeptCalls;
  readonly options: HarOptions;
  readonly drafts: readonly Draft[];
  readonly baseUrl: string;
  readonly correlation: Correlation;
  readonly secrets: readonly Secret[];
  readonly redirects: Redirects;
  /** Dynamic values that excluded calls share with kept ones. */
  readonly leftOut: LeftOutValues;
  /** Replaces the found credentials in text that is shown. */
  readonly hide: (text: string) => string;
  /** Returns the name of a request in notes, such as `request 4 (POST /orders)`. */
  readonly nameOf: (draft: Draft) => string;
}
