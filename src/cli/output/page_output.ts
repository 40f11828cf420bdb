import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { openOutput, type OutputFile } from "./output_file.ts";

/**
 * The HTML page to write to the path given with `--html`. Discarded at the end of its scope if it
 * was not written.
 */
export interface PageOutput extends Disposable {
  /** Writes the page. Undefined if `--html` was not given. */
  readonly write: OutputFile["write"] | undefined;
}

/**
 * Opens the file that `--html` specifies, before the work starts. Throws OutputError if the path
 * cannot be written, and UsageError if it is one of `used`, the files that the command uses.
 */
export function openPage(args: Args, used: readonly string[], io: Io): PageOutput {
  const output = args.has("html") ? openOutput("html", args, used, io) : undefined;
  return {
    write: output && ((...pieces) => output.write(...pieces)),
    [Symbol.dispose]: () => output?.discard(),
  };
}
