import { OutputError, UsageError } from "../../base/errors.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { junitXml } from "../../report/ci/junit.ts";
import { runReport } from "../../report/html/run_report.ts";
import { renderSummary } from "../../report/text/render_summary.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { isSameFile, openOutput } from "./output_file.ts";

/** Report files specified by command-line options. */
export interface ReportFiles {
  /**
   * Writes all files, even if one of them fails. `plan` returns the text of the plan, without
   * secrets, for the HTML report. Rejects with an OutputError that lists all failures.
   */
  write(summary: Summary, plan?: () => string): Promise<void>;
  /** Discards the files that have not been written yet. */
  discard(): void;
}

type Render = (summary: Summary, plan?: () => string) => string | Promise<string>;

const json: Render = (summary) => JSON.stringify(summary, null, 2) + "\n";
const RENDERERS: Readonly<Record<string, Render>> = {
  "summary-export": json,
  output: json,
  junit: junitXml,
  html: (summary, plan) => runReport(summary, plan?.()),
};

/**
 * Opens the files that the report options specify, before the work starts, so that an unwritable
 * path fails early. Throws OutputError if a path cannot be written, and UsageError if a file is
 * specified twice or is one of `inputs`.
 */
export function openReportFiles(args: Args, inputs: readonly string[], io: Io): ReportFiles {
  const wanted = Object.keys(RENDERERS).filter((option) => args.has(option));
  const paths = wanted.map((option) => args.text(option)!);
  const twice = wanted.find((_, i) => paths.slice(0, i).some((path) => isSameFile(path, paths[i])));
  if (twice !== undefined) {
    throw new UsageError(
      `--${twice} cannot be ${
        args.text(twice)
      }: another report option already writes this file; choose another path`,
    );
  }
  const files = wanted.map((option) => ({
    render: RENDERERS[option],
    output: openOutput(option, args, inputs, io),
  }));
  return {
    async write(summary, plan) {
      const failed: OutputError[] = [];
      for (const { render, output } of files) {
        const text = await render(summary, plan);
        try {
          output.write(text);
        } catch (error) {
          if (!(error instanceof OutputError)) throw error;
          failed.push(error);
        }
      }
      if (failed.length > 0) throw new OutputError(failed.map(({ message }) => message).join("; "));
    },
    discard: () => files.forEach(({ output }) => output.discard()),
  };
}

/**
 * Width, in columns, to assume for an output that is not a terminal. Only very long names are
 * shortened to fit.
 */
const PIPE = 1_000;

/**
 * Prints the summary of a run to standard output. On a terminal, fits the summary to the width
 * of the terminal.
 */
export function printSummary(summary: Summary, args: Args, io: Io): void {
  const columns = io.stdout.columns();
  const color = io.stdout.colors === true && !args.has("no-color");
  io.stdout.write(
    renderSummary(summary, { color, width: columns ?? PIPE, brief: args.has("once") }),
  );
}
