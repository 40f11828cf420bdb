import { safeText } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { RunChange } from "../../report/compare/compare_runs.ts";
import type { Comparison } from "../../report/compare/comparison_report.ts";
import {
  comparisonAnnotations,
  comparisonJson,
  comparisonMarkdown,
  comparisonPage,
  comparisonText,
  comparisonVerdict,
} from "../../report/compare/print_comparison.ts";
import { type ComparedRun, partialReasons } from "../../report/compare/run_differences.ts";
import { EXIT } from "../command/exit_codes.ts";
import type { OutputFile } from "../output/output_file.ts";
import { appendStepSummary } from "../output/report_files.ts";
import type { Io } from "../system/io.ts";

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

/** Conditions that `--fail-on` accepts. */
export const FAIL_ON = ["slower", "failed"] as const;

/** Exit code for a condition, and a line that states the reason. */
export interface GateResult {
  readonly code: number;
  /**
   * Line that states the reason for the exit code. Absent if the verdict of the comparison already
   * states the reason.
   */
  readonly line?: string;
}

/**
 * Evaluates `--fail-on slower`. The exit code is 99 if the last run is worse than the runs it is
 * compared with, 1 if this is unknown, otherwise 0.
 */
export function gateChange(change: RunChange): GateResult {
  if (change === "worse") return { code: EXIT.THRESHOLDS };
  return { code: change === "not comparable" ? EXIT.FAILED : EXIT.OK };
}

/**
 * Evaluates `--fail-on failed`. The exit code is 99 if the last run failed, 4 if it did less than
 * planned, 1 if the result is unknown, and 0 if it passed.
 */
export function gateResult({ file, summary }: ComparedRun): GateResult {
  const { passed, failure, ending, thresholds, incomplete } = summary;
  const state = (verdict: string, reason: string) =>
    safeText(`${verdict}: ${file}: ${reason}`) + "\n";
  if (passed === true) return { code: EXIT.OK, line: state("passed", "all thresholds passed") };
  if (passed === null && incomplete !== undefined) {
    return { code: EXIT.INCOMPLETE, line: state("incomplete", incomplete.join("; ")) };
  }
  if (passed === null) {
    return {
      code: EXIT.FAILED,
      line: state("unknown whether the run passed", unknownReason(summary)),
    };
  }
  const broken = thresholds.filter(({ passed }) => passed === false).length;
  const reason = failure ??
    (broken > 0 ? `${broken} of ${thresholds.length} thresholds failed` : ending);
  return { code: EXIT.THRESHOLDS, line: state("failed", reason) };
}

function unknownReason(summary: Summary): string {
  const [reason] = partialReasons(summary);
  if (reason !== undefined) return reason;
  return summary.thresholds.length === 0
    ? "it has no thresholds"
    : "its thresholds were not evaluated";
}

/**
 * Returns the combined exit code of several conditions: the highest one.
 */
export function worstCode(results: readonly GateResult[]): number {
  return Math.max(EXIT.OK, ...results.map(({ code }) => code));
}
