import type { Summary } from "../../engine/summary/summary.ts";
import { chartGrid } from "./chart.ts";
import { checkTable } from "./check_table.ts";
import {
  document,
  foldedSection,
  htmlSection,
  sectionLinks,
  type TitledSection,
} from "./document.ts";
import { endpointTable } from "./endpoint_table.ts";
import { errorTable } from "./error_table.ts";
import { failureSection, otherErrors } from "./failure_table.ts";
import { keyMetrics } from "./key_metrics.ts";
import { latencyHeatMap } from "./latency_heat_map.ts";
import { leadSentence } from "./lead_sentence.ts";
import { lines, type Markup, markup } from "./markup.ts";
import { correctedSamples, runCharts } from "./run_charts.ts";
import { phaseMarks } from "./phase_marks.ts";
import { scenarioTable } from "./scenario_table.ts";
import { thresholdTable } from "./threshold_table.ts";
import { totalSeries } from "./total_series.ts";
import { groupTable, trendTable } from "./trend_table.ts";
import { secondsPerPoint } from "./timeline.ts";
import { title, verdictHead } from "./verdict_head.ts";

/**
 * Creates a self-contained HTML report of a run. The report includes `plan`, the text of the plan,
 * if it is given.
 */
export async function runReport(summary: Summary, plan?: string): Promise<string> {
  const total = totalSeries(summary.endpoints);
  const charts = runCharts(summary, total);
  const ofTime = charts.charts.filter(({ axis }) => axis !== "percentiles");
  const others = charts.charts.slice(ofTime.length);
  const overTime = ofTime.length > 0
    ? chartGrid(ofTime, { last: latencyHeatMap(total, summary.duration_ms) })
    : undefined;
  const distribution = others.length > 0 ? chartGrid(others, { from: ofTime.length }) : undefined;
  const sections: TitledSection[] = [
    titled("Thresholds", thresholdTable(summary)),
    titled("Over time", overTime, zoomNote(summary)),
    titled("Endpoints", endpointTable(summary, true), ENDPOINTS_NOTE),
    titled("Failures", failureSection(summary)),
    titled("Errors by kind", errorTable({ errors: otherErrors(summary) })),
    titled("Distribution", distribution, CORRECTED[correctedSamples(summary)]),
    ...references(summary, plan),
  ];
  const body = [
    sectionLinks(sections),
    verdictHead(summary),
    keyMetrics(summary),
    leadSentence(summary),
    ...sections.map(({ section }) => section),
    footer(summary),
  ];
  return await document({ title: `${title(summary.name)}: rehearse`, body, charts });
}

function titled(title: string, content: Markup | undefined, note?: string): TitledSection {
  return { title, section: htmlSection(title, content, note) };
}

const ENDPOINTS_NOTE =
  "Click a heading to sort, or the name of a request to see its percentiles and statuses over time.";

function zoomNote(summary: Summary): string {
  const size = secondsPerPoint(summary.timeline);
  const points = size <= 1
    ? "One point per second."
    : `One point per ${size} seconds. Rates are averages, and percentiles are those of the slowest second.`;
  return `${points} Drag to zoom all charts, double-click to reset the zoom. Click a label to hide its ` +
    `line.${
      phaseMarks(summary).length > 0 ? " Dotted vertical lines are the planned phases." : ""
    }`;
}

const CORRECTED = {
  none: undefined,
  all:
    "Corrected latency starts at the scheduled start of an iteration, so it includes the time that " +
    "a request waited while the target stalled.",
  some:
    "Corrected latency exists only for the first request of each iteration in an open model. This " +
    "curve also covers other requests, so corrected latency is listed only under Times.",
};

/** Maximum number of endpoints for which the reference sections of a report are initially open. */
const MAX_ENDPOINTS = 50;
/**
 * Maximum number of metrics in the table of times. If there are more, its section is initially
 * collapsed.
 */
const MAX_TIMES = 8;

/**
 * Creates the reference sections, such as the groups and the checks. In a long report, they are
 * initially collapsed, because most readers rarely need them.
 */
function references(summary: Summary, plan: string | undefined): TitledSection[] {
  const { endpoints, metrics } = summary;
  const isShort = endpoints.length <= MAX_ENDPOINTS;
  const times = Object.values(metrics).filter((stats) => "avg" in stats && stats.count > 0).length;
  const planText = plan === undefined ? undefined : markup`<pre tabindex="0">${lines(plan)}</pre>`;
  const sections = [
    ["Groups", groupTable(summary), isShort],
    ["Checks", checkTable(summary), isShort],
    ["Scenarios", scenarioTable(summary), isShort],
    ["Times", trendTable(summary), isShort && times <= MAX_TIMES],
    ["The plan", planText, false],
  ] as const;
  return sections.map(([title, content, isOpen]) => ({
    title,
    section: foldedSection(title, content, isOpen),
  }));
}

function footer({ environment, schema, plan_hash }: Summary): Markup {
  const parts = [
    environment && `rehearse ${environment.version}`,
    `summary format ${schema}`,
    plan_hash === null ? undefined : `plan ${plan_hash.slice(0, 12)}`,
  ];
  return markup`<footer class="faint">${parts.filter(Boolean).join(" · ")}</footer>`;
}
