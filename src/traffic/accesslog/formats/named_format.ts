import type { LogFormat } from "../read/log_format.ts";

/** A log format that users select by name, as `--log-format NAME`. */
export interface NamedFormat {
  /** Servers that write this format, as Markdown for the table in docs/recipes.md. */
  readonly writtenBy: string;
  /** A line in this format, without its line end. */
  readonly sample: string;
  /**
   * Layouts of the format's lines in the order in which they are tried, such as one per notation of
   * timestamps. All have the format's name.
   */
  readonly variants: readonly LogFormat[];
}
