import type { NamelessExtractor } from "../../../extract/compile_now.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import type { DynamicBy } from "../../../traffic/session/dynamic_value.ts";
import type { Source } from "./source_kinds.ts";

/** An extractor that has no variable name yet. */
export type Located = NamelessExtractor;

/** A dynamic-looking value in a response. */
export interface Candidate {
  /** The value in the form in which requests send it. */
  readonly value: string;
  /** Name of the member, header, cookie or field that contains it; empty if there is none. */
  readonly key: string;
  readonly source: Source;
  /** Reason why the value looks dynamic; `use` if the only reason is that a request sends it. */
  readonly by: DynamicBy | "use";
  /** True if the extractor returns a number instead of a string. */
  readonly numeric: boolean;
  /** The call whose response contains it. */
  readonly producer: RecordedCall;
  /** Creates the extractor that reads the value from the response. */
  readonly locate: () => Located;
}
