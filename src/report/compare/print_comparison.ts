import { safeText } from "../../base/safe_text.ts";
import { annotation } from "../ci/github.ts";
import { comparisonCharts } from "../html/comparison_charts.ts";
import { document } from "../html/document.ts";
import { type Markup, markup } from "../markup.ts";
import { printHtml } from "../html/print_html.ts";
import { environmentLine, title, warningList } from "../html/run_head.ts";
import { plainText, printMarkdown } from "../text/print_markdown.ts";
import { formatTime, thresholdCounts } from "../summary_words.ts";
import { printText, style, wrapWords } from "../text/print_blocks.ts";
import type { RunChange } from "./compare_runs.ts";
import type { Comparison } from "./comparison_report.ts";
import type { ComparedRun } from "./run_differences.ts";

/** How each medium shows a verdict. */
interface VerdictLook {
  readonly tone?: "good" | "bad" | "open";
  readonly page: string;
  readonly markdown: string;
  readonly severity: "error" | "warning" | "notice";
}

const LOOKS: Readonly<Record<RunChange, VerdictLook>> = {
  worse: { tone: "bad", page: "✗ Worse", markdown: "❌ Worse", severity: "error" },
  better: { tone: "good", page: "✓ Better", markdown: "✅ Better", severity: "notice" },
  "within noise": {
    page: "No change beyond noise",
    markdown: "➖ No change beyond noise",
    severity: "notice",
  },
  "not comparable": {
    tone: "open",
    page: "Not comparable",
    markdown: "❔ Not comparable",
    severity: "warning",
  },
};

/**
 * Formats the verdict of a comparison, its reasons and the warnings, one per line. The verdict
 * comes last. Long lines are wrapped at `width` columns.
 */
export function comparisonVerdict(
  { change, reasons, warnings }: Comparison,
  color: boolean,
  width = Infinity,
): string {
  const dressed = style(color, width);
  const wrapped = (text: string, paint: (text: string) => string) =>
    wrapWords(safeText(text), width, 2).map((line) => `${paint(line)}\n`).join("");
  const isPair = reasons.length === 1;
  const { tone } = LOOKS[change];
  return [
    ...warnings.map((text) =>
      wrapped(`warning: ${text}`, (line) => line.replace(/^warning:/, dressed.open))
    ),
    ...(isPair ? [] : reasons.map((reason) => wrapped(`- ${reason}`, String))),
    wrapped(isPair ? `${change}: ${reasons[0]}` : change, tone ? dressed[tone] : String),
  ].join("");
}

/** Formats the runs and the tables of a comparison as text. Tables are at least 80 columns wide. */
export function comparisonText(
  { runs, sections }: Comparison,
  color: boolean,
  width = Infinity,
): string {
  const dressed = style(color, Math.max(80, width));
  const lines = runs.flatMap((run, i) =>
    wrapWords(`${i + 1}. ${safeText(run)}`, dressed.width - 2, 3).map((line) => `  ${line}`)
  );
  return printText([{ title: "Runs", blocks: [{ lines }] }, ...sections], dressed)
    .map((line) => `${line}\n`).join("");
}

/** Formats a comparison as GitHub-flavored Markdown. */
export function comparisonMarkdown(
  { name, change, reasons, warnings, runs, sections }: Comparison,
): string {
  const list = (texts: readonly string[]) => texts.map((text) => `- ${plainText(text)}\n`).join("");
  return [
    `## ${LOOKS[change].markdown}${name === "" ? "" : `: ${plainText(name)}`}\n`,
    list(reasons),
    ...(warnings.length === 0 ? [] : [`**Warnings**\n\n${list(warnings)}`]),
    ...sections.length === 0 ? [] : [printMarkdown(sections)],
    `<details><summary>Runs</summary>\n\n${list(runs)}\n</details>\n`,
  ].join("\n");
}

/**
 * Formats the verdict of a comparison and its warnings as annotations on a GitHub job. They are
 * attached to `file`, a path in the repository, or to no file if it is undefined.
 */
export function comparisonAnnotations(
  { change, reasons, warnings }: Comparison,
  file: string | undefined,
): string {
  const title = `Comparison: ${change}`;
  return [
    annotation(LOOKS[change].severity, { file, title }, reasons.join("\n")),
    ...warnings.map((text) => annotation("warning", { file, title: "Comparison" }, text)),
  ].join("");
}

/** Creates a self-contained HTML page with a comparison of runs, and charts of two runs. */
export async function comparisonPage(
  comparison: Comparison,
  runs: readonly ComparedRun[],
): Promise<string> {
  const { name, sections } = comparison;
  const [before, after, ...more] = runs.map(({ summary }) => summary);
  const pair = more.length > 0 ? undefined : comparisonCharts([before, after]);
  const shown = pair === undefined ? sections : sections.toSpliced(-1, 0, ...pair.sections);
  return await document({
    title: `${title(name)}, ${pair ? "compared" : `${runs.length} runs`}: rehearse`,
    body: [head(comparison, runs), printHtml(shown)],
    ...(pair && { charts: pair.data }),
  });
}

/** Renders the verdict, its reasons, each run with its file and conditions, and the warnings. */
function head(
  { name, change, reasons, warnings }: Comparison,
  runs: readonly ComparedRun[],
): Markup {
  const { tone, page } = LOOKS[change];
  const isPair = runs.length === 2;
  const list = markup`<ul class="reasons">${reasons.map((text) => markup`<li>${text}</li>`)}</ul>`;
  const names = isPair ? ["Before", "After"] : runs.map((_, i) => `Run ${i + 1}`);
  const lines = runs.map((run, i) => runLines(names[i], run));
  return markup`
    <header>
      <p class="verdict ${tone}"><strong>${page}</strong> ${isPair ? reasons[0] : ""}</p>
      <h1>${title(name)}</h1>
      ${isPair ? undefined : list}
      ${isPair ? lines : markup`<details><summary>Files and conditions</summary>${lines}</details>`}
      ${warningList(warnings.map((text) => ({ text })))}
    </header>
  `;
}

function runLines(name: string, { file, summary }: ComparedRun): Markup {
  const [, word] = thresholdCounts(summary);
  const parts = [file, title(summary.name), formatTime(summary.started_at), word];
  return markup`
    <p class="faint">${name}: ${parts.join(", ")}</p>
    ${environmentLine(summary)}
  `;
}
