import { formatMs, plural } from "../../base/format.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { type RunWarning, runWarnings } from "../run_warnings.ts";
import { incompleteness, verdictDoubts } from "../verdict_doubts.ts";
import { ENDING_WORDS, environmentParts, formatTime, thresholdCounts } from "../summary_words.ts";
import { codeSpans, type Markup, markup } from "../markup.ts";

/** Renders the header of a run's report. */
export function verdictHead(summary: Summary): Markup {
  return markup`<header id="top">${htmlVerdictLines(summary)}</header>`;
}

/** Renders the verdict of a run, its name, time and environment, and the warnings about it. */
export function htmlVerdictLines(summary: Summary): Markup {
  const { name, started_at, seed } = summary;
  const [tone, word] = thresholdCounts(summary);
  const doubts = verdictDoubts(summary).map((doubt) =>
    markup`; <strong class="bad">⚠ ${doubt}</strong>`
  );
  const reasons = incompleteness(summary).map((reason) => markup`<p class="bad">${reason}</p>`);
  const started = markup`<time datetime="${started_at}">${formatTime(started_at)}</time>`;
  return markup`
    <p class="verdict ${tone}"><strong>${word}</strong> ${result(summary)}${doubts}</p>
    ${reasons}
    <h1>${title(name)}</h1>
    <p class="faint">${ended(summary)} · started ${started} · seed ${seed}</p>
    ${environmentLine(summary)}
    ${warningList(runWarnings(summary))}
  `;
}

/** Returns the name of a run, or `Unnamed run` if it has no name. */
export function title(name: string): string {
  return name === "" ? "Unnamed run" : name;
}

function result({ thresholds, failure }: Summary): string {
  const all = plural(thresholds.length, "threshold");
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const unknown = thresholds.filter(({ passed }) => passed === null).length;
  const counts = thresholds.length === 0
    ? "no thresholds"
    : failed > 0
    ? `${failed} of ${all} failed`
    : unknown > 0
    ? `${all} not evaluated`
    : `${all} passed`;
  return failure === undefined ? counts : `${failure}; ${counts}`;
}

/**
 * Renders the targets, plan, version, machine and options of a run. Returns undefined if the
 * summary was written by an older version that did not record them.
 */
export function environmentLine({ environment }: Summary): Markup | undefined {
  if (environment === undefined) return undefined;
  const text = environmentParts(environment).join(" · ");
  return markup`<p class="faint environment">${text}</p>`;
}

/** Creates a list of warnings. Returns undefined if there are no warnings. */
export function warningList(warnings: readonly RunWarning[]): Markup | undefined {
  if (warnings.length === 0) return undefined;
  const items = warnings.map(({ scenario, text }) =>
    markup`<li>${scenario === undefined ? undefined : markup`<b>${scenario}</b>: `}${
      codeSpans(text)
    }</li>`
  );
  return markup`<div class="warnings" role="note" aria-label="Warnings"><ul>${items}</ul></div>`;
}

function ended({ ending, duration_ms }: Summary): string {
  return `${ENDING_WORDS[ending]} ${formatMs(duration_ms)}`;
}
