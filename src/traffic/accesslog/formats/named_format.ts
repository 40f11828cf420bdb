import type { LogFormat } from "../read/log_format.ts";

/** A log format that users select by name, with `--log-format NAME`. */
export interface NamedFormat {
  /** Servers that write this format, as Markdown for the table in docs/recipes.md. */
  readonly writtenBy: string;
  /** Example of a line in this format, without its line ending. */
  readonly sample: string;
  /**
   * Variants of the format, for example with different timestamp notations, in the order in which
   * they are tried. Each variant has the name of the format.
   */
  readonly variants: readonly LogFormat[];
}
