import { OutputError, UsageError } from "../../base/errors.ts";
import type { Summary } from "../../engine/summary.ts";
import { runReport } from "../../report/html/run_report.ts";
import { junitXml } from "../../report/junit.ts";
import type { Args } from "../command.ts";
import { openOutput } from "../output_file.ts";
import type { Io } from "../io.ts";

/** The report files that a command line asks for. */
export interface ReportFiles {
  /**
   * Writes all files, also after one that cannot be written. `plan` returns the text of the plan for the
   * HTML report, without secrets. Rejects with an OutputError that names every failure.
   */
  write(summary: Summary, plan?: () => string): Promise<void>;
  /** Discards the files that are not written. */
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
 * Opens the files that the options ask for, so that one that cannot be written stops the command before
 * it starts. Throws OutputError, and UsageError for a file that is named twice or is an input.
 */
export function openReportFiles(args: Args, inputs: readonly string[], io: Io): ReportFiles {
  const wanted = Object.keys(RENDERERS).filter((option) => args.has(option));
  const paths = wanted.map((option) => args.text(option)!);
  const twice = wanted.find((_, i) => paths.indexOf(paths[i]) < i);
  if (twice !== undefined) {
    throw new UsageError(
      `--${twice} cannot be ${args.text(twice)}: another report goes there; give each its own file`,
    );
  }
  const files = wanted.map((option, i) => ({
    render: RENDERERS[option],
    output: openOutput(paths[i], inputs, io),
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
