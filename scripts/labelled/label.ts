/** What is true of one value of a recording. */
export interface Label {
  readonly value: string | number;
  readonly correlate: boolean;
  readonly why: string;
  /** The entry whose JSON response is to give it, and each place there; absent when none holds it. */
  readonly producer?: number;
  readonly paths?: readonly string[];
  /** Each place in which a later request takes it from that response; none unless it is correlated. */
  readonly uses: readonly Use[];
}

export interface Use {
  readonly entry: number;
  /**
   * `path`, `query:NAME`, `header:NAME` (lower case), `form:NAME` (of either
   * kind of form), `json:PATH`, or `text` for another body.
   */
  readonly where: string;
}
