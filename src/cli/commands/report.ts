import { MAX_DOCUMENT_BYTES } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { compareRuns, type RunChange } from "../../report/html/comparison/compare_runs.ts";
import { comparisonReport } from "../../report/html/comparison/comparison_report.ts";
import { runReport } from "../../report/html/run_report.ts";
import { incompleteness, runDifferences } from "../../report/run_warnings.ts";
import type { Args, Command } from "../command/command.ts";
import { readSummary } from "../input/read_summary.ts";
import { isNamed, printNext } from "../output/next_step.ts";
import { openOutput } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";

/** The command `rehearse report`. */
export const reportCommand: Command = {
  name: "report",
  usage: "SUMMARY [LATER] [OPTIONS]",
  takes: "files",
  about: [
    "Turns a summary (from `run --summary-export` or `merge -o`) into one HTML file that needs no " +
    "network. Given two summaries, it compares the runs: what got slower, by how much, and whether " +
    "the difference is statistically significant. The result is also printed on standard error.",
    "With --fail-on slower, the second run must not be worse than the first. It is worse if an " +
    "endpoint or the whole run is slower or fails more often, or if a threshold newly fails.",
    "Exit codes: 0 the report was written; 1 a file is not a summary, the report cannot be written, or " +
    "the runs cannot be compared (with --fail-on); 2 the command line is invalid; 99 the second run " +
    "is worse (with --fail-on).",
  ],
  flags: [
    {
      name: "output",
      short: "o",
      file: "write",
      help: "Write the report to FILE instead of standard output",
    },
    { name: "plan", file: "read", help: "Include this plan in the report of one run" },
    {
      name: "fail-on",
      value: "slower",
      choices: ["slower"],
      help: "Exit with 99 if the second run is slower, fails more often or newly fails a threshold",
    },
  ],
  needs: [],
  examples: [
    { command: "rehearse report summary.json -o report.html", does: "Write a report of one run." },
    {
      command: "rehearse report before.json after.json -o report.html",
      does: "Compare the runs before and after a change to the target.",
    },
    {
      command: "rehearse report before.json after.json --fail-on slower -o report.html",
      does: "Fail a CI job if the change made the target slower.",
    },
  ],
  run: runReportCommand,
};

async function runReportCommand(args: Args, io: Io): Promise<number> {
  const paths = args.positionals;
  if (paths.length < 1 || paths.length > 2) {
    throw new UsageError(`expected one summary, or two to compare, but got ${paths.length}`);
  }
  const plan = args.text("plan");
  if (plan !== undefined && paths.length === 2) {
    throw new UsageError("--plan works with one summary only, but two were given");
  }
  if (args.has("fail-on") && paths.length !== 2) {
    throw new UsageError("--fail-on needs two summaries to compare, but one was given");
  }
  const inputs = plan === undefined ? paths : [...paths, plan];
  const output = openOutput("output", args, inputs, io);
  try {
    const summaries: Summary[] = [];
    for (const path of paths) summaries.push(await readSummary(path, io));
    const [first, later] = summaries;
    output.write(
      later === undefined
        ? await runReport(first, plan === undefined ? undefined : await readText(plan, io))
        : await comparisonReport(first, later, [paths[0], paths[1]]),
    );
    const page = args.text("output");
    if (isNamed(page)) printNext(`open ${page} in a browser`, args, io);
    if (later === undefined) return 0;
    const { change, details } = compareRuns(first, later);
    io.stderr.write(comparisonLines(change, details, [first, later], paths));
    if (!args.has("fail-on")) return 0;
    if (change === "not comparable") return 1;
    return change === "worse" ? 99 : 0;
  } finally {
    output.discard();
  }
}

function comparisonLines(
  change: RunChange,
  details: string,
  summaries: readonly Summary[],
  paths: readonly string[],
): string {
  const warnings = summaries.flatMap((summary, i) =>
    incompleteness(summary).map((reason) => `warning: ${paths[i]} is incomplete: ${reason}`)
  );
  const [before, after] = summaries;
  warnings.push(...runDifferences(before, after).map((text) => `warning: ${text}`));
  return [...warnings, `${change}: ${details}`].map((line) => safeText(line) + "\n").join("");
}

async function readText(path: string, io: Io): Promise<string> {
  using source = await openBytes(path, io.stdin);
  return new TextDecoder().decode(await source.bytes(MAX_DOCUMENT_BYTES));
}
