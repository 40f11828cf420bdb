import type { SummaryLook } from "../../report/text/render_summary.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";

/** Columns for an output that is not a terminal: enough for real names, but a limit for hostile ones. */
const PIPE = 1_000;

/** Returns the layout of the summary on standard output: colours only on terminals, full width in pipes. */
export function summaryLook(args: Args, io: Io): SummaryLook {
  const columns = io.stdout.columns();
  const color = columns !== undefined && !args.has("no-color") && !Deno.noColor;
  return { color, width: columns ?? PIPE, brief: args.has("once") };
}
