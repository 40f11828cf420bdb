import { formatMs } from "../../base/duration.ts";
import type { Summary } from "../../engine/summary.ts";
import { incompleteness } from "../incompleteness.ts";
import { ENDINGS } from "../text/verdict_line.ts";
import { type RunWarning, runWarnings } from "../run_warnings.ts";
import { plural } from "../../base/plural.ts";
import { html, type Markup } from "./markup.ts";

/** The head of a page about a run. */
export function verdictHead(summary: Summary): Markup {
  return html`<header>${htmlVerdictLines(summary)}</header>`;
}

/** Whether the run passed, which run it was, when, what it was started with, and its warnings. */
export function htmlVerdictLines(summary: Summary): Markup {
  const { name, started_at, seed } = summary;
  const [tone, word] = thresholdCounts(summary);
  const reasons = incompleteness(summary).map((reason) => html`<p class="bad">${reason}</p>`);
  return html`
    <p class="verdict ${tone}"><strong>${word}</strong> ${result(summary)}</p>
    ${reasons}
    <h1>${title(name)}</h1>
    <p
      class="faint">${ended(summary)} · started <time datetime="${started_at}">${formatTime(
        started_at,
      )}</time> · seed ${seed}</p>
    ${environmentLine(summary)}${warningList(runWarnings(summary))}
  `;
}

/** What a run is called. */
export function title(name: string): string {
  return name === "" ? "Unnamed run" : name;
}

/** The start of a run, in UTC, to the second. */
export function formatTime(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*$/, "$1 $2 UTC");
}

/** Returns the word for a run's verdict, and its tone. */
export function thresholdCounts(
  { thresholds, ending, passed, accepted }: Summary,
): ["good" | "bad" | "", string] {
  if (passed === false) return ["bad", "✗ Failed"];
  if (passed) return ["good", "✓ Passed"];
  if (accepted.length > 0) return ["", "Incomplete"];
  if (ending === "interrupted") return ["", "Interrupted"];
  return thresholds.length > 0 ? ["", "Not judged"] : ["", "Done"];
}

function result({ thresholds, failure }: Summary): string {
  const all = plural(thresholds.length, "threshold");
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const unknown = thresholds.filter(({ passed }) => passed === null).length;
  const judgement = thresholds.length === 0
    ? "no thresholds"
    : failed > 0
    ? `${failed} of ${all} failed`
    : unknown > 0
    ? `${all} not judged`
    : `${all} passed`;
  return failure === undefined ? judgement : `${failure}; ${judgement}`;
}

/** Targets, plan, version, options and machine, as far as the summary knows them. */
export function environmentLine({ environment }: Summary): Markup | undefined {
  if (environment === undefined) return undefined;
  const { targets, plan, version, options, cores, workers } = environment;
  const parts = [
    targets.join(", "),
    plan === "-" ? "plan from standard input" : plan,
    `rehearse ${version}`,
    `${plural(workers, "worker")} on ${plural(cores, "core")}`,
    options.join(" "),
  ];
  return html`<p class="faint environment">${parts.filter(Boolean).join(" · ")}</p>`;
}

/** Warnings under the head of a page. */
export function warningList(warnings: readonly RunWarning[]): Markup | undefined {
  if (warnings.length === 0) return undefined;
  const items = warnings.map(({ scenario, text }) =>
    html`<li>${
      scenario === undefined ? "" : html`
        <b>${scenario}</b>:
      `
    }${text}</li>`
  );
  return html`<ul class="warnings" role="note" aria-label="Warnings">${items}</ul>`;
}

function ended({ ending, duration_ms }: Summary): string {
  return `${ENDINGS[ending]} ${formatMs(duration_ms)}`;
}
