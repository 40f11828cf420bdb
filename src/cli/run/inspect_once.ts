import type { SummaryLook } from "../../report/text/render_summary.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";

/** Columns of what is no terminal: enough to cut no name, and still an end to a hostile one. */
const PIPE = 1_000;

/** How a report looks on standard output: colours on terminals only, nothing cut in pipes. */
export function inspectOnce(args: Args, io: Io): SummaryLook {
  const columns = io.stdout.columns();
  const color = columns !== undefined && !args.has("no-color") && !Deno.noColor;
  return { color, width: columns ?? PIPE, brief: args.has("once") };
}
