import { chartGrid } from "../chart.ts";
import { document } from "../document.ts";
import { html, type Markup } from "../markup.ts";
import LIVE from "../page/live.js" with { type: "text" };
import { chartsOverTime } from "../run_charts.ts";
import { htmlSection } from "../section.ts";
import { title } from "../verdict_head.ts";
import type { PARTS } from "./live_parts.ts";

/** Creates the page that shows a run in progress from the events of its server's `/events`. */
export async function livePage(name: string, open: boolean): Promise<string> {
  const charts = chartsOverTime([], open);
  const body = html`
    <header>
      <div data-part="head">
        <p class="verdict"><strong>Waiting</strong> for the first second</p>
        <h1>${title(name)}</h1>
      </div>
      <p class="note" id="connection" role="status"></p>
    </header>
    ${part("metrics")}${part("thresholds")}
    ${htmlSection(
      "Over time",
      chartGrid(charts),
      "Drag to zoom all four charts, double-click to reset the zoom.",
    )}
    ${part("scenarios")}${part("rest")}
  `;
  const data = { axes: { seconds: [] }, charts };
  return await document({ title: `${title(name)}: rehearse`, body, charts: data, script: LIVE });
}

function part(name: typeof PARTS[number]): Markup {
  return html`<div data-part="${name}"></div>`;
}
