import type { SummaryLook } from "../../report/text/render_summary.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";

/**
 * Width, in columns, of an output that is not a terminal. It is enough for real names and limits
 * very long ones.
 */
const PIPE = 1_000;

/** Returns the layout of the summary on standard output: colours only on terminals, full width in pipes. */
export function summaryLook(args: Args, io: Io): SummaryLook {
  const columns = io.stdout.columns();
  const color = columns !== undefined && !args.has("no-color") && !Deno.noColor;
  return { color, width: columns ?? PIPE, brief: args.has("once") };
}
