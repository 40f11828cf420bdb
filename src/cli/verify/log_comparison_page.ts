import { document, htmlSection } from "../../report/html/document.ts";
import { htmlTable, shareCell } from "../../report/html/html_table.ts";
import { markup } from "../../report/html/markup.ts";
import { describeAspects, describeComparison, type Found } from "./log_comparison_text.ts";

/** Renders the comparison of a run with a log as a self-contained HTML page. */
export async function logComparisonPage(found: Found): Promise<string> {
  const aspects = describeAspects(found).map(([aspect, words]) =>
    markup`<p><strong>${aspect}</strong> ${words}</p>`
  );
  const endpoints = htmlTable(
    [
      { title: "Endpoint", cell: ({ endpoint }) => markup`<code>${endpoint}</code>` },
      { title: "Share of the log", cell: ({ log }) => shareCell(log) },
      { title: "Share of the run", cell: ({ run }) => shareCell(run) },
      { title: "Difference", cell: ({ log, run }) => shareCell(Math.abs(run - log)) },
    ],
    found.mix.endpoints,
    { caption: "Endpoints", sortable: true },
  );
  const title = "Run compared with its log";
  const [tone, mark] = found.asTheLog ? ["good", "✓"] : ["bad", "✗"];
  const head = markup`
    <header>
      <p class="verdict ${tone}"><strong>${mark}</strong> ${describeComparison(found)}</p>
      <h1>${title}</h1>
    </header>
  `;
  const body = [head, ...aspects, htmlSection("Endpoints", endpoints)];
  return await document({ title: `${title}: rehearse`, body });
}
