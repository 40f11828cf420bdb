import type { NamelessExtractor } from "../extract/extractors.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { KeptUse } from "./assign.ts";
import type { Use } from "./pieces.ts";
import type { OptionalSource, SourceKind } from "./source_kinds.ts";

/** A value in a response, with an extractor that returns it. */
export interface Candidate {
  readonly value: string;
  readonly key: string;
  readonly source: SourceKind;
  readonly numeric: boolean;
  readonly producer: RecordedCall;
  readonly located: NamelessExtractor;
}

/** A value that an extractor reads from a response into a variable. */
export interface Variable {
  readonly extractor: Extractor;
  readonly candidate: Candidate;
  /** Uses in requests that the plan replaces, or could replace, with the variable. */
  readonly sent: readonly Use[];
  /** Uses that the plan sends as recorded. */
  readonly left: readonly KeptUse[];
}

/** A value that the plan could extract from a response if its source were enabled. */
export interface Offer extends Variable {
  readonly source: OptionalSource;
}
