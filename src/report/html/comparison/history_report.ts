import type { ComparisonDocument } from "../../compare/describe_comparison.ts";
import type { ComparisonCell, ComparisonTable } from "../../compare/comparison_tables.ts";
import type { ComparedRun } from "../../compare/run_differences.ts";
import { document, htmlSection } from "../document.ts";
import { type HtmlCell, htmlTable } from "../html_table.ts";
import { type Markup, markup } from "../markup.ts";
import { title } from "../verdict_head.ts";
import { comparisonHead } from "./comparison_head.ts";

/** Creates a self-contained HTML page that compares at least three runs. */
export async function historyReport(
  { name, change, reasons, tables }: ComparisonDocument,
  runs: readonly ComparedRun[],
): Promise<string> {
  const body = [
    comparisonHead(change, reasons, runs, runs.map((_, i) => `Run ${i + 1}`)),
    ...tables.map((table) => htmlSection(table.title, tableMarkup(table))),
  ];
  return await document({ title: `${title(name)}, ${runs.length} runs: rehearse`, body });
}

function tableMarkup({ title, columns, rows, note }: ComparisonTable): Markup {
  const cells = columns.map((title, i) => ({
    title,
    cell: (row: readonly ComparisonCell[]): HtmlCell => {
      const { text, tone, isName } = row[i];
      return { content: isName ? markup`<code>${text}</code>` : text, ...(tone && { tone }) };
    },
  }));
  const more = note === undefined ? undefined : markup`<p class="faint">${note}</p>`;
  return markup`${htmlTable(cells, rows, { caption: title })}${more}`;
}
