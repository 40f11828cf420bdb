import { normalize } from "@std/path";
import { UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { RunChange } from "../../report/compare/compare_runs.ts";
import { type Comparison, describeComparison } from "../../report/compare/comparison_report.ts";
import {
  comparisonAnnotations,
  comparisonJson,
  comparisonMarkdown,
  comparisonPage,
  comparisonText,
  comparisonVerdict,
} from "../../report/compare/print_comparison.ts";
import { type ComparedRun, partialReasons } from "../../report/compare/run_differences.ts";
import { runReport } from "../../report/html/run_report.ts";
import { type Command, dropWriteAccess, EXIT } from "../command/command.ts";
import { choice, command, fileToWrite, type Given, repeatedChoice } from "../command/options.ts";
import { readSummary } from "../input/read_documents.ts";
import {
  appendStepSummary,
  openOutput,
  type OutputFile,
  stepSummaryPath,
} from "../output/output_file.ts";
import { isNamed, printNext } from "../output/messages.ts";
import type { Io } from "../system/io.ts";

/** Formats of a comparison: the values that `--format` accepts. */
const COMPARISON_FORMATS = ["html", "text", "json", "markdown", "github"] as const;

/** Conditions that `--fail-on` accepts. */
const FAIL_ON = ["slower", "failed"] as const;

const OPTIONS = {
  output: fileToWrite({
    short: "o",
    help: "Write the report to FILE instead of standard output",
  }),
  format: choice(COMPARISON_FORMATS, {
    instead: "for the data of one run, read its summary, which is JSON",
    help:
      "Format of the report. One run: html. Several runs: all formats (default: html, or text if the " +
      "output is a terminal)",
  }),
  failOn: repeatedChoice(FAIL_ON, {
    value: "VERDICT",
    help:
      "Exit with code 99 if the last run is worse than the first one (slower), or if it failed (failed)",
  }),
};

export const reportCommand: Command = command({
  name: "report",
  usage: "SUMMARY [LATER...] [OPTIONS]",
  takes: "files",
  expects: { what: "one summary, or several to compare", max: Infinity },
  about: [
    "Turns a summary (from `run --summary-export` or `merge -o`) into one self-contained HTML file. " +
    "Given two summaries, it compares the runs: what got slower, by how much, and whether the " +
    "difference is statistically significant. Given three or more, listed in the order of the runs, " +
    "it compares the last run with the first one, and also lists the metrics of all runs. " +
    "The result is also printed on standard error.",
    "With --fail-on slower, the last run must not be worse than the first one. A run " +
    "is worse if an endpoint or the whole run is slower or fails more often, or if a threshold newly " +
    "fails. With --fail-on failed, the last run must have passed.",
    "--format github writes Markdown to the file specified by GITHUB_STEP_SUMMARY, if it is set, and " +
    "prints annotations for the job.",
    "Exit codes: 0 the report was written; 1 a file is not a summary, the report cannot be written, or " +
    "the verdict is unknown (with --fail-on); 2 the command line is invalid; 4 the last run did less " +
    "than planned (with --fail-on failed); 99 the last run is worse than the first one, or failed (with --fail-on).",
  ],
  options: OPTIONS,
  needs: [],
  needsFor: {
    needs: ["env"],
    applies: (args) => args.text("format") === "github",
  },
  // The environment variable GITHUB_STEP_SUMMARY specifies a file to write.
  inputsNameOutputs: true,
  examples: {
    "rehearse report summary.json -o report.html": "Write a report of one run.",
    "rehearse report before.json after.json -o report.html":
      "Compare the runs before and after a change to the target.",
    "rehearse report before.json after.json --fail-on slower -o report.html":
      "Fail a CI job if the change made the target slower.",
    "rehearse report monday.json tuesday.json wednesday.json -o trend.html":
      "Show how the metrics changed over three runs.",
  },
  async run(given, io) {
    const { failOn, output: page, args } = given;
    const paths = args.positionals;
    checkArguments(paths, given);
    const isOnTerminal = page === undefined && io.stdout.columns() !== undefined;
    const format = given.format ?? (isOnTerminal && paths.length > 1 ? "text" : "html");
    if (isOnTerminal && paths.length === 1) {
      throw new UsageError("cannot show the HTML report on a terminal: add `-o report.html`");
    }
    const stepSummary = format === "github" ? stepSummaryPath({ required: true }) : undefined;
    if (stepSummary === undefined && page === undefined) dropWriteAccess();
    using output = openOutput(page, paths, io);
    const runs: ComparedRun[] = [];
    for (const path of paths) runs.push({ file: path, summary: await readSummary(path, io) });
    const last = runs[runs.length - 1];
    const codes: number[] = [EXIT.OK];
    if (runs.length === 1) {
      await output.write(await runReport(last.summary));
    } else {
      const found = describeComparison(runs);
      await writeComparison(found, format, output, { isFile: isNamed(page), stepSummary }, io);
      if (failOn.includes("slower")) codes.push(CHANGE_CODES[found.change]);
    }
    if (isNamed(page) && format === "html") printNext(`open ${page} in a browser`, args, io);
    if (failOn.includes("failed")) {
      const { code, line } = gateResult(last);
      io.stderr.write(line);
      codes.push(code);
    }
    return Math.max(...codes);
  },
});

function checkArguments(
  paths: readonly string[],
  { failOn, format = "html" }: Given<typeof OPTIONS>,
): void {
  // Compares only the normalized paths, because resolving links needs more permissions. Links and
  // copies are detected later, by content.
  const names = paths.map((path) => normalize(path));
  const twice = paths.find((_, i) => names.indexOf(names[i]) < i);
  if (twice !== undefined) {
    throw new UsageError(`${twice} was given twice: list the summary of each run once`);
  }
  if (paths.length > 1) return;
  const option = failOn.includes("slower")
    ? "--fail-on slower"
    : format === "html"
    ? undefined
    : `--format ${format}`;
  if (option === undefined) return;
  const more = option === "--format json" ? "; a summary is JSON already" : "";
  throw new UsageError(`${option} needs two summaries to compare, but one was given${more}`);
}

/**
 * Writes a comparison of runs in the given format. Also writes its verdict to standard error,
 * unless the output is text on standard output, which contains the verdict. The `github` format
 * appends Markdown to the file `stepSummary`.
 */
async function writeComparison(
  found: Comparison,
  format: typeof COMPARISON_FORMATS[number],
  output: OutputFile,
  { isFile, stepSummary }: { readonly isFile: boolean; readonly stepSummary: string | undefined },
  io: Io,
): Promise<void> {
  const plain = (color: boolean, width?: number) =>
    comparisonText(found, color, width) + comparisonVerdict(found, color, width);
  if (format === "text" && !isFile) {
    return await output.write(plain(io.stdout.colors === true, io.stdout.columns()));
  }
  if (format === "text") await output.write(plain(false));
  else if (format === "html") await output.write(await comparisonPage(found));
  else if (format === "json") await output.write(comparisonJson(found));
  else {
    const text = comparisonMarkdown(found);
    if (stepSummary !== undefined) appendStepSummary(stepSummary, text);
    if (isFile || stepSummary === undefined) await output.write(text);
    if (format === "github") io.stdout.write(comparisonAnnotations(found));
  }
  const { colors = false } = io.stderr;
  io.stderr.write(comparisonVerdict(found, colors, io.stderr.columns()));
}

/** Exit codes of `--fail-on slower`. */
const CHANGE_CODES: Readonly<Record<RunChange, number>> = {
  "worse": EXIT.THRESHOLDS,
  "not comparable": EXIT.FAILED,
  "better": EXIT.OK,
  "within noise": EXIT.OK,
};

/**
 * Evaluates `--fail-on failed`. The exit code is 99 if the last run failed, 4 if it did less than
 * planned, 1 if the result is unknown, and 0 if it passed.
 */
export function gateResult(
  { file, summary }: ComparedRun,
): { readonly code: number; readonly line: string } {
  const { passed, failure, ending, thresholds, incomplete } = summary;
  const result = (code: number, verdict: string, reason: string) => {
    return { code, line: safeText(`${verdict}: ${file}: ${reason}`) + "\n" };
  };
  if (passed === true) return result(EXIT.OK, "passed", "all thresholds passed");
  if (passed === null && incomplete !== undefined) {
    return result(EXIT.INCOMPLETE, "incomplete", incomplete.join("; "));
  }
  if (passed === null) {
    return result(EXIT.FAILED, "unknown whether the run passed", unknownReason(summary));
  }
  const broken = thresholds.filter(({ passed }) => passed === false).length;
  const reason = failure ??
    (broken > 0 ? `${broken} of ${thresholds.length} thresholds failed` : ending);
  return result(EXIT.THRESHOLDS, "failed", reason);
}

function unknownReason(summary: Summary): string {
  return partialReasons(summary)[0] ??
    (summary.thresholds.length === 0
      ? "it has no thresholds"
      : "its thresholds were not evaluated");
}
