import type { SummaryLook } from "../../report/text/summary.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";

/** How a report is to look on standard output: colours only on a terminal that may have them. */
export function look(args: Args, io: Io): SummaryLook {
  const columns = io.stdout.columns();
  const color = columns !== undefined && !args.has("no-color") && !Deno.noColor;
  return { color, width: columns ?? 80, brief: args.has("once") };
}
