/** What is correlated beside JSON bodies only when the user asks for it. */
export const OPTIONS = ["html", "header", "cookie", "encoded"] as const;
export type Option = typeof OPTIONS[number];

/** What is true of one value of a recording. */
export interface Label {
  readonly value: string | number;
  readonly correlate: boolean;
  /** Under which option it is correlated when it is not by default; until then a warning tells of it. */
  readonly option?: Option;
  readonly why: string;
  /** The entry whose response is to give it; absent when none holds it. */
  readonly producer?: number;
  /** Each place of that response's JSON that holds it. */
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
