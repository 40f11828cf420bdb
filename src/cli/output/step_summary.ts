import { OutputError, systemMessage } from "../../base/errors.ts";
import { renderSummary } from "../../report/text/render_summary.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { readGrantedEnv } from "../system/io.ts";

/**
 * Environment variable that contains the path of the file for the summary of a GitHub Actions step.
 */
const VARIABLE = "GITHUB_STEP_SUMMARY";

/**
 * Returns the path of the file for the summary of a GitHub Actions step. Returns undefined if the
 * environment variable is not set. If the permission to read it is missing, throws
 * `Deno.errors.NotCapable` if `required` is true, and otherwise returns undefined.
 */
export function stepSummaryPath({ required }: { readonly required: boolean }): string | undefined {
  return (required ? Deno.env.get(VARIABLE) : readGrantedEnv(VARIABLE)) || undefined;
}

/**
 * Appends Markdown to the summary of a GitHub Actions step. Throws OutputError if `path` cannot be
 * written.
 */
export function appendStepSummary(path: string, markdown: string): void {
  try {
    Deno.writeTextFileSync(path, `\n${markdown}`, { append: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new OutputError(
      `cannot append to ${path}, the file specified by ${VARIABLE}: ${systemMessage(error)}`,
      { cause: error },
    );
  }
}

/** Width of the summary on a GitHub page, in characters. */
const WIDTH = 110;

/**
 * Formats the summary of a run as Markdown: a block of preformatted text, in which Markdown syntax
 * has no effect.
 */
export function runMarkdown(summary: Summary, brief: boolean): string {
  const text = renderSummary(summary, { color: false, width: WIDTH, brief })
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<pre>\n${text.trim()}\n</pre>\n`;
}
