import { UsageError } from "../../base/errors.ts";
import type { Summary } from "../../engine/summary.ts";
import { renderSummary } from "../../report/text/summary.ts";
import type { Command } from "../command.ts";
import { openOutput } from "../convert/output.ts";
import { mergeShares, missingShares } from "../merge_shares.ts";
import { readSummary } from "../read_summary.ts";
import { look } from "../run/look.ts";

/** `rehearse merge`. */
export const merge: Command = {
  name: "merge",
  summary: "Make one summary of the shares of a run, and judge it",
  usage: "SUMMARY... [OPTIONS]",
  about: [
    "Adds up what `run --shard I/N --summary-export` wrote on several machines: counts and " +
    "histograms, from which the percentiles are computed anew. The thresholds of the plan are judged " +
    "on the whole.",
    "Exit codes: 0 every threshold held; 1 a file is no summary; 2 the command line is wrong; 99 a " +
    "threshold failed.",
  ],
  flags: [
    { name: "output", short: "o", value: "FILE", help: "Write the one summary there, as JSON" },
    { name: "no-color", help: "No colours on a terminal" },
  ],
  examples: [
    {
      command: "rehearse merge 1.json 2.json 3.json -o all.json",
      does: "the verdict over three machines, and the figures kept",
    },
  ],
  async run(args, io) {
    const paths = args.positionals;
    if (paths.length === 0) throw new UsageError("expected the summaries to merge");
    const output = args.has("output") ? openOutput(args.text("output"), paths, io) : undefined;
    try {
      const summaries = new Map<string, Summary>();
      for (const path of paths) summaries.set(path, await readSummary(path, io));
      const merged = mergeShares(summaries);
      io.stderr.write(doubt(merged));
      output?.write(JSON.stringify(merged, null, 2) + "\n");
      io.stdout.write(renderSummary(merged, look(args, io)));
      return merged.passed ? 0 : 99;
    } finally {
      output?.discard();
    }
  },
};

/** What to know of a merge that is not of a whole run. */
function doubt({ shares }: Summary): string {
  const missing = missingShares(shares);
  if (missing === undefined) return "warning: the shares are of different splits of the plan\n";
  return missing.length > 0 ? `warning: not of the whole run: ${missing.join(", ")} missing\n` : "";
}
