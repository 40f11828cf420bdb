import { OutputError, UsageError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redactor.ts";
import type { Summary } from "../../engine/summary.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { runReport } from "../../report/html/run_report.ts";
import { junitXml } from "../../report/junit.ts";
import type { Args } from "../command.ts";
import { openOutput } from "../convert/output.ts";
import type { Io } from "../io.ts";

/** What a run leaves behind in files. */
export interface ReportFiles {
  /**
   * Writes them all, those behind one that cannot be written too; `redact` takes the plan's secrets
   * out of what is shown of the plan. Rejects with an OutputError for all that failed.
   */
  write(summary: Summary, plan: Plan, redact: Redactor): Promise<void>;
  /** Gives up what is not written. */
  discard(): void;
}

type Render = (summary: Summary, plan: Plan, redact: Redactor) => string | Promise<string>;

const RENDERERS: Readonly<Record<string, Render>> = {
  "summary-export": (summary) => JSON.stringify(summary, null, 2) + "\n",
  junit: junitXml,
  html: (summary, plan, redact) => runReport(summary, redact(printPlan(plan, []))),
};

/**
 * Opens the files that the options ask for, so that one that cannot be written stops the run before it
 * starts. Throws OutputError, and UsageError for a file that is named twice or is the plan.
 */
export function openReportFiles(args: Args, planPath: string, io: Io): ReportFiles {
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
    output: openOutput(paths[i], [planPath], io),
  }));
  return {
    async write(summary, plan, redact) {
      const failed: OutputError[] = [];
      for (const { render, output } of files) {
        const text = await render(summary, plan, redact);
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
