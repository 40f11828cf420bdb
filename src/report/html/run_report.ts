import type { Summary } from "../../engine/summary/summary.ts";
import { chartGrid } from "./chart.ts";
import { checkTable } from "./check_table.ts";
import { document, htmlSection } from "./document.ts";
import { endpointTable } from "./endpoint_table.ts";
import { errorTable } from "./error_table.ts";
import { keyMetrics } from "./key_metrics.ts";
import { lines, type Markup, markup } from "./markup.ts";
import { correctedSamples, runCharts } from "./run_charts.ts";
import { scenarioTable } from "./scenario_table.ts";
import { thresholdTable } from "./threshold_table.ts";
import { trendTable } from "./trend_table.ts";
import { secondsPerPoint } from "./timeline.ts";
import { title, verdictHead } from "./verdict_head.ts";

/**
 * Creates a self-contained HTML report of a run. The report includes `plan`, the text of the plan,
 * if it is given.
 */
export async function runReport(summary: Summary, plan?: string): Promise<string> {
  const charts = runCharts(summary);
  const ofTime = charts.charts.filter(({ axis }) => axis === "seconds");
  const others = charts.charts.slice(ofTime.length);
  const overTime = ofTime.length > 0 ? chartGrid(ofTime) : undefined;
  const distribution = others.length > 0 ? chartGrid(others, ofTime.length) : undefined;
  const body = [
    verdictHead(summary),
    keyMetrics(summary),
    htmlSection("Thresholds", thresholdTable(summary)),
    htmlSection("Over time", overTime, zoomNote(summary)),
    htmlSection("Distribution", distribution, CORRECTED[correctedSamples(summary)]),
    htmlSection("Endpoints", endpointTable(summary)),
    htmlSection("Errors by kind", errorTable(summary)),
    htmlSection("Checks", checkTable(summary)),
    htmlSection("Scenarios", scenarioTable(summary)),
    htmlSection("Times", trendTable(summary)),
    plan === undefined ? undefined : planSection(plan),
  ];
  return await document({ title: `${title(summary.name)}: rehearse`, body, charts });
}

function zoomNote({ timeline }: Summary): string {
  const size = secondsPerPoint(timeline);
  const points = size <= 1
    ? "One point per second."
    : `One point per ${size} seconds. Rates are averages, and percentiles are those of the slowest second.`;
  return `${points} Drag to zoom all four charts, double-click to reset the zoom.`;
}

const CORRECTED = {
  none: undefined,
  all:
    "Corrected latency starts at the scheduled start of an iteration, so it includes the time that " +
    "a request waited while the target stalled.",
  some:
    "Corrected latency exists only for the first request of each iteration in an open model. This " +
    "curve covers other requests, so corrected latency is listed only under Times.",
};

function planSection(plan: string): Markup {
  const content = markup`
    <details>
      <summary>Show the plan of this run</summary>
      <pre tabindex="0">${lines(plan)}</pre>
    </details>
  `;
  return htmlSection("The plan", content)!;
}
