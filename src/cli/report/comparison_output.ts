import {
  comparisonAnnotations,
  comparisonJson,
  comparisonMarkdown,
  comparisonPage,
  comparisonText,
  comparisonVerdict,
} from "../../report/compare/print_comparison.ts";
import type { Comparison } from "../../report/compare/comparison_report.ts";
import type { ComparedRun } from "../../report/compare/run_differences.ts";
import type { OutputFile } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";
import { appendStepSummary } from "../output/step_summary.ts";

/** Formats of a comparison: the values that `--format` accepts. */
export const COMPARISON_FORMATS = ["html", "text", "json", "markdown", "github"] as const;

/** Format of a comparison. */
export type ComparisonFormat = typeof COMPARISON_FORMATS[number];

/** A comparison of runs, and where to write it. */
export interface ComparisonOutput {
  readonly found: Comparison;
  readonly runs: readonly ComparedRun[];
  readonly output: OutputFile;
  /** File to which the `github` format appends Markdown. */
  readonly stepSummary: string | undefined;
}

/**
 * Writes a comparison of runs in the given format. Also writes its verdict to standard error,
 * unless the output is text on standard output, which contains the verdict. The format `github`
 * prints annotations and appends Markdown to `stepSummary`. If `stepSummary` is undefined or
 * `isFile` is true, it also writes the Markdown to `output`.
 */
export async function writeComparison(
  format: ComparisonFormat,
  comparison: ComparisonOutput,
  isFile: boolean,
  io: Io,
): Promise<void> {
  const { found, runs } = comparison;
  await WRITERS[format]({ ...comparison, isFile, io });
  if (format === "text" && !isFile) return;
  const { colors = false } = io.stderr;
  // The verdict on two runs explains itself. For more runs, the tables explain it.
  if (format === "html" && runs.length > 2) {
    io.stderr.write(comparisonText(found, colors, io.stderr.columns()));
  }
  io.stderr.write(comparisonVerdict(found, colors, io.stderr.columns()));
}

interface Writing extends ComparisonOutput {
  /** True if `output` is a file and not standard output. */
  readonly isFile: boolean;
  readonly io: Io;
}

const WRITERS: Readonly<Record<ComparisonFormat, (writing: Writing) => Promise<void>>> = {
  async html({ found, runs, output }) {
    await output.write(await comparisonPage(found, runs));
  },
  async text({ found, output, isFile, io }) {
    const color = !isFile && io.stdout.colors === true;
    const width = isFile ? undefined : io.stdout.columns();
    await output.write(
      comparisonText(found, color, width) + comparisonVerdict(found, color, width),
    );
  },
  async json({ found, runs, output }) {
    await output.write(comparisonJson(found, runs));
  },
  async markdown({ found, output }) {
    await output.write(comparisonMarkdown(found));
  },
  async github({ found, runs, output, stepSummary, isFile, io }) {
    const text = comparisonMarkdown(found);
    if (stepSummary !== undefined) appendStepSummary(stepSummary, text);
    if (isFile || stepSummary === undefined) await output.write(text);
    io.stdout.write(comparisonAnnotations(found, runs[runs.length - 1].summary.environment?.plan));
  },
};
