import type { LogFormat } from "../read/log_format.ts";

/** A log format that users select by name, as `--log-format NAME`. */
export interface NamedFormat {
  /** Servers that write this format, as Markdown for the table in docs/recipes.md. */
  readonly writtenBy: string;
  /** A line in this format, without its line end. */
  readonly sample: string;
  /**
   * Ways in which lines of the format differ, such as in the notation of timestamps, in the order
   * in which they are tried. Each variant has the name of the format.
   */
  readonly variants: readonly LogFormat[];
}
