import type { OptionalSource } from "../../src/convert/correlate/sources/source_kinds.ts";

/** Expected treatment of one value of a recording. */
export interface Label {
  readonly value: string | number;
  /** Whether it is correlated by default. */
  readonly correlate: boolean;
  /** The option that correlates it; without the option a warning reports it. */
  readonly option?: OptionalSource;
  /** Reason for the expected treatment. */
  readonly why: string;
  /** Index of the entry whose response it is extracted from; absent if no response contains it. */
  readonly producer?: number;
  /** Every JSONPath in that response that selects it. */
  readonly paths?: readonly string[];
  /** Every use in later requests; empty unless it is correlated. */
  readonly uses: readonly Use[];
}

export interface Use {
  readonly entry: number;
  /**
   * `path`, `query:NAME`, `header:NAME` (lower case), `form:NAME` (of either kind of form),
   * `json:PATH`, or `text` for other bodies.
   */
  readonly where: string;
}
