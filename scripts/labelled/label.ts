import type { OptionalSource } from "../../src/convert/correlate/sources/source_kinds.ts";

/** Expected treatment of one value of a recording. */
export interface Label {
  readonly value: string | number;
  /** True if the value is correlated by default. */
  readonly correlate: boolean;
  /**
   * Source of `--correlate` that correlates the value. Unless that source is enabled, a warning
   * reports the value.
   */
  readonly option?: OptionalSource;
  /** Reason for the expected treatment. */
  readonly why: string;
  /**
   * Index of the entry from whose response the value is extracted; absent if no response contains
   * the value.
   */
  readonly producer?: number;
  /** All JSONPaths that select the value in that response. */
  readonly paths?: readonly string[];
  /** All uses in later requests. Empty unless the value is correlated. */
  readonly uses: readonly Use[];
}

export interface Use {
  readonly entry: number;
  /**
   * `path`, `query:NAME`, `header:NAME` (lower case), `form:NAME` (of either kind of form),
   * `json:PATH`, `text` for other bodies, or `name` for the name of a parameter, field or member.
   */
  readonly where: string;
}
