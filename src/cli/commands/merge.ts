import { InputError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import { mergeSummaries } from "../../engine/metrics/merge_summaries.ts";
import { MERGE_FLAWS, type MergeFlaw } from "../../engine/summary/codes.ts";
import { allowIncomplete, mergeFlaws } from "../../engine/summary/verdict.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { parseShard } from "../../plan/partition.ts";
import type { ComparedRun } from "../../report/compare/run_differences.ts";
import { type Command, verdictCode } from "../command/command.ts";
import { command, fileToWrite, repeatedChoice, toggle } from "../command/options.ts";
import { readSummary } from "../input/read_documents.ts";
import { commandLine, isNamed, printNext } from "../output/messages.ts";
import { openReportFiles, printSummary } from "../output/output_file.ts";

export const mergeCommand: Command = command({
  name: "merge",
  usage: "SUMMARY... [OPTIONS]",
  takes: "files",
  expects: { what: "at least one summary to merge", max: Infinity },
  about: [
    "Merges the files that `run --shard I/N --summary-export` wrote on several machines. It adds up " +
    "counts and histograms, recomputes percentiles, and evaluates the plan's thresholds on the total.",
    "Rejects shards that come from different plans or data, that shuffled the data differently, or " +
    "that are given twice. Also rejects missing, interrupted and aborted shards, and shards that " +
    "started more than 1s apart, unless --allow accepts them. A result with an accepted flaw is " +
    "marked as incomplete and cannot pass. An aborted run always fails.",
    "Exit codes: 0 no threshold failed; 1 a file is not a summary, the summaries do not form one " +
    "complete run, or no request got a response; 2 the command line is invalid; 4 the run did less than " +
    "planned; 99 a threshold failed.",
  ],
  options: {
    allow: repeatedChoice([...MERGE_FLAWS, "incomplete"], {
      value: "FLAW",
      help: "Merge despite this flaw; shifted means that the shards did not start together, and " +
        "incomplete means that the run did less than planned",
    }),
    output: fileToWrite({
      short: "o",
      help: "Write the merged summary to FILE as JSON",
    }),
    html: fileToWrite({ help: "Write an HTML report with charts to FILE, as `run --html` does" }),
    junit: fileToWrite({ help: "Write thresholds and checks to FILE as JUnit XML" }),
    noColor: toggle({ help: "Do not use colors on a terminal" }),
  },
  needs: [],
  examples: {
    "rehearse merge 1.json 2.json 3.json -o all.json":
      "Evaluate a run on three machines and write its summary.",
    "rehearse merge 1.json 3.json --allow missing --html report.html":
      "Report on two shards after losing the third machine.",
  },
  async run({ allow, output, html, junit, noColor, args }, io) {
    const paths = args.positionals;
    using files = openReportFiles({ summary: output, html, junit }, paths, io);
    const summaries: ComparedRun[] = [];
    for (const file of paths) summaries.push({ file, summary: await readSummary(file, io) });
    const allowed = new Set(MERGE_FLAWS.filter((flaw) => allow.includes(flaw)));
    const shards = mergeShards(summaries, allowed);
    const merged = allow.includes("incomplete") ? allowIncomplete(shards) : shards;
    for (const { message } of merged.accepted) {
      io.stderr.write(safeText(`warning: incomplete run: ${message}`) + "\n");
    }
    await files.write(merged);
    printSummary(merged, { noColor }, io);
    if (isNamed(html)) printNext(`open ${html} in a browser`, args, io);
    else if (isNamed(output)) {
      printNext(commandLine("report", output, "-o", "report.html"), args, io);
    }
    return verdictCode(merged);
  },
});

/**
 * Merges the summaries of the shards of one run. `files` must not be empty. Throws InputError,
 * which lists all reasons, if the summaries do not form one complete run. Tolerates the flaws in
 * `allowed`.
 */
function mergeShards(
  files: readonly ComparedRun[],
  allowed: ReadonlySet<MergeFlaw>,
): Summary {
  const summaries = files.map(({ summary }) => summary);
  const conflicts = findConflicts(files);
  const flaws = conflicts.length > 0 ? [] : mergeFlaws(summaries);
  const refused = flaws.filter(({ flaw }) => !allowed.has(flaw));
  const reasons = [...conflicts, ...refused.map(({ message }) => message)];
  if (reasons.length > 0) {
    const advice = conflicts.length === 0
      ? `; to merge them anyway, add \`${refused.map(({ flaw }) => `--allow ${flaw}`).join(" ")}\``
      : "";
    throw new InputError(
      `the summaries do not form one complete run: ${reasons.join("; ")}${advice}`,
      {
        source: "cannot merge",
      },
    );
  }
  try {
    return mergeSummaries(summaries);
  } catch (error) {
    const source = files.map(({ file }) => file).join(", ");
    throw new InputError(`cannot be merged: ${(error as Error).message}`, { source }, {
      cause: error,
    });
  }
}

function findConflicts(runs: readonly ComparedRun[]): string[] {
  const [first, ...others] = runs;
  const found: string[] = [];
  const holders = new Map<string, string>();
  const splitOf = ({ summary }: ComparedRun) => parseShard(summary.shards[0].shard)?.of;
  for (const run of runs) {
    for (const { shard } of run.summary.shards) {
      const before = holders.get(shard);
      if (before !== undefined) {
        found.push(`${before} and ${run.file} both contain shard ${shard}`);
      }
      holders.set(shard, run.file);
    }
  }
  for (const run of others) {
    if (first.summary.plan_hash !== run.summary.plan_hash) {
      found.push(
        `${run.file} and ${first.file} are from different plans (plan, overlay, options or data differ)`,
      );
    } else if (splitOf(run) !== splitOf(first)) {
      found.push(
        `${run.file} is one of ${splitOf(run)} shards, but ${first.file} is one of ${
          splitOf(first)
        }`,
      );
    } else if (first.summary.data_seed !== run.summary.data_seed) {
      found.push(
        `${run.file} and ${first.file} shuffled the data differently, so rows were used twice or ` +
          "never; run all shards with the same `--seed`, or all without it",
      );
    }
  }
  return found;
}
