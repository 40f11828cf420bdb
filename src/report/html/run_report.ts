import type { Summary } from "../../engine/summary.ts";
import { chartGrid } from "./chart.ts";
import { checkTable } from "./check_table.ts";
import { document } from "./document.ts";
import { endpointTable } from "./endpoint_table.ts";
import { errorTable } from "./error_table.ts";
import { keyMetrics } from "./key_metrics.ts";
import { html, lines, type Markup } from "./markup.ts";
import { correctedSamples, runCharts } from "./run_charts.ts";
import { scenarioTable } from "./scenario_table.ts";
import { htmlSection } from "./section.ts";
import { thresholdTable } from "./threshold_table.ts";
import { trendTable } from "./trend_table.ts";
import { secondsAPoint } from "./timeline.ts";
import { title, verdictHead } from "./verdict_head.ts";

/** The report of a run as one HTML file that needs no network; `plan` is the text of its plan. */
export async function runReport(summary: Summary, plan?: string): Promise<string> {
  const charts = runCharts(summary);
  const ofTime = charts.charts.filter(({ axis }) => axis === "seconds");
  const others = charts.charts.slice(ofTime.length);
  const body = html`${verdictHead(summary)}
${keyMetrics(summary)}
${htmlSection("Thresholds", thresholdTable(summary))}
${ofTime.length > 0 ? htmlSection("Over time", chartGrid(ofTime), zoomNote(summary)) : undefined}
${
    others.length > 0
      ? htmlSection(
        "Distribution",
        chartGrid(others, ofTime.length),
        CORRECTED[correctedSamples(summary)],
      )
      : undefined
  }
${htmlSection("Endpoints", endpointTable(summary))}
${htmlSection("Errors by kind", errorTable(summary))}
${htmlSection("Checks", checkTable(summary))}
${htmlSection("Scenarios", scenarioTable(summary))}
${htmlSection("Times", trendTable(summary))}
${plan === undefined ? undefined : planSection(plan)}`;
  return await document({ title: `${title(summary.name)}: rehearse`, body, charts });
}

function zoomNote({ timeline }: Summary): string {
  const size = secondsAPoint(timeline);
  const points = size <= 1
    ? "One point a second."
    : `One point for ${size} seconds: rates are their average, percentiles those of the worst.`;
  return `${points} Drag to zoom all four, double-click to see all again.`;
}

const CORRECTED = {
  none: undefined,
  all: "Corrected times count from the scheduled start of an iteration, so that a stalled target " +
    "cannot hide the requests that waited for it.",
  some: "Corrected times exist only for the first request of an iteration of an open model. They " +
    "are of other requests than this curve, so they are listed under Times only.",
};

function planSection(plan: string): Markup {
  return htmlSection(
    "The plan",
    html`
      <details>
        <summary>Show the plan as it was played</summary>
        <pre tabindex="0">${lines(plan)}</pre>
      </details>
    `,
  )!;
}
