import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { describeValue } from "../summary_words.ts";
import { type Markup, markup } from "./markup.ts";
import { type HtmlCell, htmlTable } from "./html_table.ts";

/**
 * Creates a table of the thresholds with their actual values and results. Failed thresholds come
 * first. Returns undefined if there are no thresholds.
 */
export function thresholdTable(
  { thresholds }: Pick<Summary, "thresholds">,
): Markup | undefined {
  const rank = ({ passed }: ThresholdVerdict) => passed === false ? 0 : passed === null ? 1 : 2;
  const ordered = thresholds.toSorted((a, b) => rank(a) - rank(b));
  return htmlTable(
    [
      { title: "Metric", cell: ({ metric }) => markup`<code>${metric}</code>` },
      { title: "Threshold", cell: ({ expression }) => markup`<code>${expression}</code>` },
      {
        title: "Actual",
        cell: (verdict) => ({
          content: describeValue(verdict),
          ...(verdict.value !== null && { value: verdict.value }),
        }),
      },
      {
        title: "Result",
        cell: resultCell,
      },
    ],
    ordered,
    { caption: "Thresholds" },
  );
}

function resultCell({ passed, aborted }: ThresholdVerdict): HtmlCell {
  if (passed === null) return { content: "? not evaluated", tone: "faint" };
  if (passed) return { content: "✓ passed", tone: "good" };
  return { content: aborted ? "✗ ended the run" : "✗ failed", tone: "bad" };
}
