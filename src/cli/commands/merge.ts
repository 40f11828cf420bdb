import { UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import type { MergeFlaw } from "../../engine/summary/summary.ts";
import { renderSummary } from "../../report/text/render_summary.ts";
import type { Args, Command } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { mergeShards, type SummaryFile } from "../merge_shards.ts";
import { readSummary } from "../input/read_summary.ts";
import { summaryLook } from "../output/summary_look.ts";
import { openReportFiles } from "../output/report_files.ts";

const FLAWS: readonly MergeFlaw[] = [
  "missing",
  "interrupted",
  "aborted",
  "shifted",
  "unknown-plan",
];

/** `rehearse merge`. */
export const mergeCommand: Command = {
  name: "merge",
  summary: "Merge the summaries of the shards of a run and evaluate the thresholds",
  usage: "SUMMARY... [OPTIONS]",
  takes: "files",
  about: [
    "Merges the files that `run --shard I/N --summary-export` wrote on several machines. It adds up " +
    "counts and histograms, recomputes percentiles, and evaluates the plan's thresholds on the total.",
    "Rejects summaries that are not one complete run: shards of different plans or data, with " +
    "differently shuffled data, given twice, missing, interrupted, aborted, or started more than 1s " +
    "apart. --allow accepts the last four. The result is then marked as incomplete and cannot pass; " +
    "an aborted run always fails.",
    "Exit codes: 0 no threshold failed; 1 a file is not a summary, the summaries are not one " +
    "complete run, or no request got a response; 2 the command line is wrong; 99 a threshold failed.",
  ],
  flags: [
    {
      name: "allow",
      value: "FLAW",
      choices: FLAWS,
      repeats: true,
      help:
        "Merge despite this flaw; shifted: shards started apart; unknown-plan: a summary of an " +
        "older version does not identify its plan",
    },
    {
      name: "output",
      short: "o",
      value: "FILE",
      help: "Write the merged summary to FILE, as JSON",
    },
    {
      name: "html",
      value: "FILE",
      help: "Write an HTML report with charts to FILE, as `run --html` does",
    },
    { name: "junit", value: "FILE", help: "Write thresholds and checks to FILE, as JUnit XML" },
    { name: "no-color", help: "Do not use colors on a terminal" },
  ],
  examples: [
    {
      command: "rehearse merge 1.json 2.json 3.json -o all.json",
      does: "Evaluate a run on three machines and write its summary.",
    },
    {
      command: "rehearse merge 1.json 3.json --allow missing --html report.html",
      does: "Report on two shards after the third machine was lost.",
    },
  ],
  run: runMerge,
};

async function runMerge(args: Args, io: Io): Promise<number> {
  const paths = args.positionals;
  if (paths.length === 0) throw new UsageError("expected at least one summary to merge");
  const output = openReportFiles(args, paths, io);
  try {
    const files: SummaryFile[] = [];
    for (const path of paths) files.push({ path, summary: await readSummary(path, io) });
    const merged = mergeShards(files, new Set(args.all("allow") as MergeFlaw[]));
    for (const { message } of merged.accepted) {
      io.stderr.write(safeText(`warning: incomplete run: ${message}`) + "\n");
    }
    await output.write(merged);
    io.stdout.write(renderSummary(merged, summaryLook(args, io)));
    if (merged.failure !== undefined) return 1;
    return merged.passed === false ? 99 : 0;
  } finally {
    output.discard();
  }
}
