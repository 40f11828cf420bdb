import { formatMs } from "../../base/duration.ts";
import type { Summary } from "../../engine/summary.ts";
import { ENDINGS } from "../text/verdict.ts";
import { plural } from "../text/units.ts";
import { html, type Markup } from "./markup.ts";

/** The head of a page about a run. */
export function verdictHead(summary: Summary): Markup {
  return html`<header>${verdictLines(summary)}</header>`;
}

/** Whether the run passed, which run it was, when. */
export function verdictLines(summary: Summary): Markup {
  const { name, started_at, shares, seed } = summary;
  const [tone, word] = judged(summary);
  const share = shares.length === 1 && shares[0] !== "1/1"
    ? html`
      · share ${shares[0]} only
    `
    : "";
  return html`
    <p class="verdict ${tone}"><strong>${word}</strong> ${held(summary)}</p>
    <h1>${title(name)}</h1>
    <p
      class="faint">${ended(summary)} · started <time datetime="${started_at}">${moment(
        started_at,
      )}</time> · seed ${seed}${share}</p>
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

/** Whether a run passed, in a word, and how the word looks. */
export function judged({ thresholds, ending, passed }: Summary): ["good" | "bad" | "", string] {
  if (!passed || ending === "assertion") return ["bad", "✗ Failed"];
  if (ending === "interrupted") return ["", "Interrupted"];
  return thresholds.length > 0 ? ["good", "✓ Passed"] : ["", "Done"];
}

function held({ thresholds }: Summary): string {
  const held = thresholds.filter(({ passed }) => passed).length;
  if (thresholds.length === 0) return "no thresholds to judge by";
  if (held === thresholds.length) return `${plural(held, "threshold")} held`;
  return `${thresholds.length - held} of ${plural(thresholds.length, "threshold")} did not hold`;
}

function ended({ ending, duration_ms }: Summary): string {
  return `${ENDINGS[ending]} ${formatMs(duration_ms)}`;
}
