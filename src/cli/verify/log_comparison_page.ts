import { document, printHtml } from "../../report/html/print_html.ts";
import { markup } from "../../report/markup.ts";
import {
  describeAspects,
  describeComparison,
  endpointTable,
  type Found,
} from "./log_comparison_text.ts";

/** Renders the comparison of a run with a log as a self-contained HTML page. */
export async function logComparisonPage(found: Found): Promise<string> {
  const aspects = describeAspects(found).map(([aspect, words]) =>
    markup`<p><strong>${aspect}</strong> ${words}</p>`
  );
  const title = "Run compared with its log";
  const [tone, mark] = found.asTheLog ? ["good", "✓"] : ["bad", "✗"];
  const head = markup`
    <header>
      <p class="verdict ${tone}"><strong>${mark}</strong> ${describeComparison(found)}</p>
      <h1>${title}</h1>
    </header>
  `;
  const body = [
    head,
    ...aspects,
    printHtml([{ title: "Endpoints", blocks: [endpointTable(found)] }]),
  ];
  return await document({ title: `${title}: rehearse`, body });
}
