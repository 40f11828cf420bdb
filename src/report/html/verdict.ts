import { formatMs } from "../../base/duration.ts";
import type { Summary } from "../../engine/summary.ts";
import { incompleteness } from "../incompleteness.ts";
import { ENDINGS } from "../text/verdict.ts";
import { plural } from "../text/units.ts";
import { html, type Markup } from "./markup.ts";

/** The head of a page about a run. */
export function verdictHead(summary: Summary): Markup {
  return html`<header>${verdictLines(summary)}</header>`;
}

/** Whether the run passed, which run it was, when. */
export function verdictLines(summary: Summary): Markup {
  const { name, started_at, seed } = summary;
  const [tone, word] = judged(summary);
  const reasons = incompleteness(summary).map((reason) => html`<p class="bad">${reason}</p>`);
  return html`
    <p class="verdict ${tone}"><strong>${word}</strong> ${held(summary)}</p>
    ${reasons}
    <h1>${title(name)}</h1>
    <p
      class="faint">${ended(summary)} · started <time datetime="${started_at}">${moment(
        started_at,
      )}</time> · seed ${seed}</p>
  `;
}

/** What a run is called. */
export function title(name: string): string {
  return name === "" ? "Unnamed run" : name;
}

/** The start of a run, in UTC, to the second. */
export function moment(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*$/, "$1 $2 UTC");
}

/** Returns the word for a run's verdict, and its tone. */
export function judged(
  { thresholds, ending, passed, accepted }: Summary,
): ["good" | "bad" | "", string] {
  if (passed === false) return ["bad", "✗ Failed"];
  if (passed) return ["good", "✓ Passed"];
  if (accepted.length > 0) return ["", "Incomplete"];
  if (ending === "interrupted") return ["", "Interrupted"];
  return thresholds.length > 0 ? ["", "Not judged"] : ["", "Done"];
}

function held({ thresholds }: Summary): string {
  const all = plural(thresholds.length, "threshold");
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const unknown = thresholds.filter(({ passed }) => passed === null).length;
  if (thresholds.length === 0) return "no thresholds to judge by";
  if (failed > 0) return `${failed} of ${all} failed`;
  return unknown > 0 ? `${all} not judged` : `${all} passed`;
}

function ended({ ending, duration_ms }: Summary): string {
  return `${ENDINGS[ending]} ${formatMs(duration_ms)}`;
}
