import type { Summary, ThresholdVerdict } from "../../engine/summary.ts";
import { outcome } from "../text/thresholds.ts";
import { html, type Markup } from "./markup.ts";
import { type Cell, table } from "./table.ts";

/** Lists each threshold with its actual value and its result, failed ones first. */
export function thresholdTable(
  { thresholds }: Pick<Summary, "thresholds">,
): Markup | undefined {
  const ordered = thresholds.toSorted((a, b) => Number(a.passed ?? 2) - Number(b.passed ?? 2));
  return table(
    [
      { title: "Metric", cell: ({ metric }) => html`<code>${metric}</code>` },
      { title: "Asked", cell: ({ expression }) => html`<code>${expression}</code>` },
      {
        title: "Came",
        cell: (verdict) => ({
          content: outcome(verdict),
          ...(verdict.value !== null && { value: verdict.value }),
        }),
      },
      {
        title: "Verdict",
        cell: resultCell,
      },
    ],
    ordered,
    { caption: "Thresholds" },
  );
}

function resultCell({ passed, aborted }: ThresholdVerdict): Cell {
  if (passed === null) return { content: "? not judged", tone: "faint" };
  if (passed) return { content: "✓ passed", tone: "good" };
  return { content: aborted ? "✗ ended the run" : "✗ failed", tone: "bad" };
}
