import type { RunChange } from "../../compare/compare_runs.ts";
import { type ComparedRun, comparisonWarnings } from "../../compare/run_differences.ts";
import { formatTime, thresholdCounts } from "../../summary_words.ts";
import { type Markup, markup } from "../markup.ts";
import { environmentLine, title, warningList } from "../verdict_head.ts";

const HEADS: Readonly<Record<RunChange, [tone: "good" | "bad" | "open" | "", word: string]>> = {
  worse: ["bad", "✗ Worse"],
  better: ["good", "✓ Better"],
  "within noise": ["", "No change beyond noise"],
  "not comparable": ["open", "Not comparable"],
};

/** Renders a verdict as the first line of a page. `change` determines the color. */
function verdictLine(change: RunChange, text: string): Markup {
  const [tone, word] = HEADS[change];
  return markup`<p class="verdict ${tone}"><strong>${word}</strong> ${text}</p>`;
}

/**
 * Renders the header of a comparison: the verdict, its reasons, each run with its file and
 * conditions, and the warnings. `names` contains a short name for each run, such as `Before`.
 */
export function comparisonHead(
  change: RunChange,
  reasons: readonly string[],
  runs: readonly ComparedRun[],
  names: readonly string[],
): Markup {
  const [only] = reasons.length === 1 ? reasons : [""];
  const list = markup`<ul class="reasons">${reasons.map((text) => markup`<li>${text}</li>`)}</ul>`;
  const lines = runs.map((run, i) => runLines(names[i], run));
  return markup`
    <header>
      ${verdictLine(change, only)}
      <h1>${title(runs[runs.length - 1].summary.name)}</h1>
      ${reasons.length > 1 ? list : undefined}
      ${
    runs.length > 2
      ? markup`<details><summary>Files and conditions</summary>${lines}</details>`
      : lines
  }
      ${warningList(comparisonWarnings(runs).map((text) => ({ text })))}
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
