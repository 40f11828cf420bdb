import type { Phase, Summary } from "../../engine/summary/summary.ts";
import { formatNumber } from "../../base/format.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type { Mark } from "./chart.ts";

/** Maximum length of a scenario's name in the label of a mark, in characters. */
const MAX_NAME = 16;

/**
 * Returns the starts and ends of the planned phases as marks for the charts. Returns an empty list
 * if the run consists of a single phase.
 */
export function phaseMarks({ phases = [], duration_ms }: Summary): Mark[] {
  const rows = Map.groupBy(phases, ({ scenario }) => scenario);
  const isWhole = phases.length === 1 && phases[0].from_ms === 0;
  if (phases.length === 0 || isWhole) return [];
  return [...rows.values()].flatMap((own) => {
    const { scenario, to_ms } = own[own.length - 1];
    const starts = own.map((phase, i) => startMark(phase, i, own.length, rows.size > 1));
    const end = { at: to_ms / 1_000, label: "", text: "", row: scenario };
    return to_ms < duration_ms ? [...starts, end] : starts;
  });
}

function startMark(phase: Phase, index: number, of: number, hasOthers: boolean): Mark {
  const { scenario, from_ms } = phase;
  const target = targetText(phase);
  const stage = of > 1 ? `stage ${index + 1} of ${of}` : "";
  const name = hasOthers ? safeSnippet(scenario, MAX_NAME) : "";
  return {
    at: from_ms / 1_000,
    label: [name, target].filter(Boolean).join(" "),
    text: [[safeText(scenario), stage].filter(Boolean).join(": "), target].filter(Boolean).join(
      ", ",
    ),
    row: scenario,
  };
}

function targetText({ target, unit }: Phase): string {
  if (target === undefined) return "";
  return `→ ${formatNumber(target)}${unit === "VUs" ? " VUs" : "/s"}`;
}
