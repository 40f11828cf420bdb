/** Expected treatment of one value of a recording. */
export interface Label {
  readonly value: string | number;
  /** True if the value is correlated with `--correlate json`. */
  readonly correlate: boolean;
  /** True if only the default correlates the value; with `--correlate json`, a warning lists it. */
  readonly byDefault?: true;
  /** Reason for the expected treatment. */
  readonly why: string;
  /**
   * Index of the entry from whose response the value is extracted; absent if no response contains
   * the value.
   */
  readonly producer?: number;
  /** All JSONPaths that select the value in the response to the entry `producer`. */
  readonly paths?: readonly string[];
  /** All uses in later requests. Empty unless the value is correlated. */
  readonly uses: readonly Use[];
}

export interface Use {
  readonly entry: number;
  /**
   * `path`, `query:NAME`, `header:NAME` (lower case), `form:NAME` (URL-encoded or multipart form),
   * `json:PATH`, `text` for other bodies, or `name` for the name of a parameter, field or member.
   */
  readonly where: string;
}
