import { UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import type { MergeFlaw } from "../../engine/summary.ts";
import { renderSummary } from "../../report/text/render_summary.ts";
import type { Args, Command } from "../command.ts";
import type { Io } from "../io.ts";
import { mergeShards, type SummaryFile } from "../merge_shards.ts";
import { readSummary } from "../read_summary.ts";
import { inspectOnce } from "../run/inspect_once.ts";
import { openReportFiles } from "../run/report_files.ts";

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
  summary: "Merge the summaries of all shards of a run, and judge the thresholds",
  usage: "SUMMARY... [OPTIONS]",
  takes: "files",
  about: [
    "Adds up what `run --shard I/N --summary-export` wrote on several machines: counts and " +
    "histograms, from which it computes the percentiles again. It judges the thresholds of the plan " +
    "on the whole.",
    "Refuses summaries that are not one complete run: of different plans, data or orders of shuffled " +
    "data, a shard that is given twice, is missing, was interrupted or aborted, or shards that " +
    "started more than 1 s apart. --allow accepts the last four. The result then says that it is " +
    "incomplete and never that it passed; an aborted run always fails.",
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
        "Merge although shards are missing, interrupted, aborted, shifted (started apart), or " +
        "of an unknown plan (written by an older version); repeatable",
    },
    { name: "output", short: "o", value: "FILE", help: "Write the merged summary there, as JSON" },
    { name: "html", value: "FILE", help: "Write a report with charts, as `run --html` does" },
    { name: "junit", value: "FILE", help: "Write thresholds and checks as JUnit XML" },
    { name: "no-color", help: "No colours on a terminal" },
  ],
  examples: [
    {
      command: "rehearse merge 1.json 2.json 3.json -o all.json",
      does: "the verdict over three machines, and its summary",
    },
    {
      command: "rehearse merge 1.json 3.json --allow missing --html report.html",
      does: "what is left after one of three machines was lost",
    },
  ],
  run: runMerge,
};

async function runMerge(args: Args, io: Io): Promise<number> {
  const paths = args.positionals;
  if (paths.length === 0) throw new UsageError("expected the summaries to merge");
  const output = openReportFiles(args, paths, io);
  try {
    const files: SummaryFile[] = [];
    for (const path of paths) files.push({ path, summary: await readSummary(path, io) });
    const merged = mergeShards(files, new Set(args.all("allow") as MergeFlaw[]));
    for (const { message } of merged.accepted) {
      io.stderr.write(safeText(`warning: incomplete run: ${message}`) + "\n");
    }
    await output.write(merged);
    io.stdout.write(renderSummary(merged, inspectOnce(args, io)));
    if (merged.failure !== undefined) return 1;
    return merged.passed === false ? 99 : 0;
  } finally {
    output.discard();
  }
}
