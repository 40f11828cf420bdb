import type { Summary } from "../../engine/summary.ts";
import { outcome } from "../text/thresholds.ts";
import { html, type Markup } from "./markup.ts";
import { table } from "./table.ts";

/** Each threshold: what it asks for, what came, whether that held; those that did not come first. */
export function thresholdTable(
  { thresholds }: Pick<Summary, "thresholds">,
): Markup | undefined {
  const ordered = thresholds.toSorted((a, b) => Number(a.passed) - Number(b.passed));
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
        cell: ({ passed, aborted }) => ({
          content: passed ? "✓ held" : aborted ? "✗ ended the run" : "✗ did not hold",
          tone: passed ? "good" : "bad",
        }),
      },
    ],
    ordered,
    { caption: "Thresholds" },
  );
}
