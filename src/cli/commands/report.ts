import { openBytes } from "../../base/bytes/open_bytes.ts";
import { UsageError } from "../../base/errors.ts";
import type { Summary } from "../../engine/summary.ts";
import { comparisonReport } from "../../report/html/comparison_report.ts";
import { runReport } from "../../report/html/run_report.ts";
import type { Args, Command } from "../command.ts";
import { openOutput } from "../convert/output.ts";
import type { Io } from "../io.ts";
import { readSummary } from "../read_summary.ts";

/** `rehearse report`. */
export const report: Command = {
  name: "report",
  summary: "Make an HTML report of a run, or of two to compare",
  usage: "SUMMARY [LATER] [OPTIONS]",
  about: [
    "Makes one HTML file, which needs no network, of the summary that `run --summary-export` or " +
    "`merge -o` wrote. Of two summaries it makes a comparison: what got slower from the first to the " +
    "second, by how much, and whether that is more than chance.",
    "Exit codes: 0 written; 1 a file is no summary or the report cannot be written; 2 the command " +
    "line is wrong.",
  ],
  flags: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      help: "Write the report there instead of to standard output",
    },
    { name: "plan", value: "FILE", help: "Show this plan in the report of one run" },
  ],
  examples: [
    { command: "rehearse report summary.json -o report.html", does: "the run, to be looked at" },
    {
      command: "rehearse report before.json after.json -o report.html",
      does: "what a change of the target did",
    },
  ],
  run: runReportCommand,
};

async function runReportCommand(args: Args, io: Io): Promise<number> {
  const paths = args.positionals;
  if (paths.length < 1 || paths.length > 2) {
    throw new UsageError(`expected one summary, or two to compare: ${paths.length} were given`);
  }
  const plan = args.text("plan");
  if (plan !== undefined && paths.length === 2) {
    throw new UsageError("--plan is for the report of one run: two summaries were given");
  }
  const inputs = plan === undefined ? paths : [...paths, plan];
  const output = openOutput(args.text("output"), inputs, io);
  try {
    const summaries: Summary[] = [];
    for (const path of paths) summaries.push(await readSummary(path, io));
    const [first, later] = summaries;
    output.write(
      later === undefined
        ? await runReport(first, plan === undefined ? undefined : await readText(plan, io))
        : await comparisonReport(first, later),
    );
    return 0;
  } finally {
    output.discard();
  }
}

async function readText(path: string, io: Io): Promise<string> {
  using source = await openBytes(path, io.stdin);
  return new TextDecoder().decode(await source.bytes());
}
