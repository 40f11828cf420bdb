import { OutputError, systemMessage } from "../../base/errors.ts";
import type { ComparisonDocument } from "../../report/compare/describe_comparison.ts";
import type { ComparedRun } from "../../report/compare/run_differences.ts";
import { comparisonText, comparisonVerdict } from "../../report/text/comparison_text.ts";
import type { Args } from "../command/command.ts";
import { isNamed } from "../output/next_step.ts";
import type { OutputFile } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";

/** Formats of a comparison, as `--format` names them. */
export const COMPARISON_FORMATS = ["html", "text", "json", "markdown", "github"] as const;

/** Format of a comparison. */
export type ComparisonFormat = typeof COMPARISON_FORMATS[number];

/**
 * Writes a comparison of runs to `output` in the given format, and its verdict to standard error.
 * `github` appends the Markdown to the file that `GITHUB_STEP_SUMMARY` names, or else writes it to
 * `output`, and prints annotations.
 */
export async function writeComparison(
  format: ComparisonFormat,
  found: ComparisonDocument,
  runs: readonly ComparedRun[],
  output: OutputFile,
  args: Args,
  io: Io,
): Promise<void> {
  const isFile = isNamed(args.text("output"));
  await WRITERS[format]({ found, runs, output, isFile, io });
  if (format === "text" && !isFile) return;
  const { colors = false } = io.stderr;
  // Two runs fit in one line. For more, the numbers of each run are needed to see why.
  if (format === "html" && runs.length > 2) {
    io.stderr.write(comparisonText(found, colors, io.stderr.columns()));
  }
  io.stderr.write(comparisonVerdict(found, colors, io.stderr.columns()));
}

interface Writing {
  readonly found: ComparisonDocument;
  readonly runs: readonly ComparedRun[];
  readonly output: OutputFile;
  /** True if `output` is a file and not standard output. */
  readonly isFile: boolean;
  readonly io: Io;
}

const WRITERS: Readonly<Record<ComparisonFormat, (writing: Writing) => Promise<void>>> = {
  async html({ runs, output }) {
    const [before, after, ...more] = runs;
    if (more.length > 0) {
      const { historyReport } = await import("../../report/html/comparison/history_report.ts");
      return await output.write(await historyReport(runs));
    }
    const { comparisonReport } = await import("../../report/html/comparison/comparison_report.ts");
    await output.write(await comparisonReport([before, after]));
  },
  async text({ found, output, isFile, io }) {
    const color = !isFile && io.stdout.colors === true;
    const width = isFile ? undefined : io.stdout.columns();
    await output.write(
      comparisonText(found, color, width) + comparisonVerdict(found, color, width),
    );
  },
  async json({ found, runs, output }) {
    const { comparisonJson } = await import("../../report/compare/comparison_json.ts");
    await output.write(comparisonJson(found, runs));
  },
  async markdown({ found, output }) {
    const { comparisonMarkdown } = await import("../../report/ci/comparison_markdown.ts");
    await output.write(comparisonMarkdown(found));
  },
  async github({ found, runs, output, isFile, io }) {
    const { comparisonAnnotations, comparisonMarkdown } = await import(
      "../../report/ci/comparison_markdown.ts"
    );
    const text = comparisonMarkdown(found);
    const isAppended = appendStepSummary(text);
    if (isFile || !isAppended) await output.write(text);
    io.stdout.write(comparisonAnnotations(found, runs[runs.length - 1].summary.environment?.plan));
  },
};

/**
 * Appends Markdown to the summary of the step of a GitHub job. Returns false if the environment
 * variable `GITHUB_STEP_SUMMARY`, which names its file, is not set. Throws OutputError if the file
 * cannot be written.
 */
function appendStepSummary(markdown: string): boolean {
  const path = Deno.env.get("GITHUB_STEP_SUMMARY");
  if (!path) return false;
  try {
    Deno.writeTextFileSync(path, `\n${markdown}`, { append: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new OutputError(
      `cannot append to the file that GITHUB_STEP_SUMMARY names, ${path}: ${systemMessage(error)}`,
      { cause: error },
    );
  }
  return true;
}
