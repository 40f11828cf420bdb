import type { Summary } from "../../engine/summary/summary.ts";
import type { Section } from "../blocks.ts";
import type { Chart } from "../chart.ts";
import { lines, type Markup, markup } from "../markup.ts";
import {
  checkSection,
  errorSection,
  failureSection,
  groupSection,
  rankChecks,
  scenarioSection,
  thresholdSection,
  trendSection,
} from "../run_sections.ts";
import { endpointSection } from "./endpoint_table.ts";
import { document, sectionLinks } from "./print_html.ts";
import { correctedSamples, phaseMarks, runCharts } from "./run_charts.ts";
import { keyMetrics, leadSentence, runBanner, title } from "./run_head.ts";
import { secondsPerPoint, totalSeries } from "./series.ts";
import { latencyHeatMap } from "./svg_charts.ts";

/**
 * Creates a self-contained HTML report of a run. The report includes `plan`, the text of the plan,
 * if it is given.
 */
export async function runReport(summary: Summary, plan?: string): Promise<string> {
  const total = totalSeries(summary.endpoints);
  const { charts, ...data } = runCharts(summary, total);
  const [others, ofTime] = [
    charts.filter(isDistribution),
    charts.filter((c) => !isDistribution(c)),
  ];
  const heatMap = latencyHeatMap(total, summary.duration_ms);
  const sections: Section[] = [
    thresholdSection(summary),
    {
      title: "Over time",
      note: zoomNote(summary),
      blocks: [{ charts: ofTime, last: heatMap }],
    },
    endpointSection(summary, true),
    failureSection(summary),
    errorSection(summary),
    {
      title: "Distribution",
      note: CORRECTED[correctedSamples(summary)],
      blocks: [{ charts: others }],
    },
    ...references(summary, plan),
  ];
  const blocks = [
    { page: sectionLinks(sections) },
    runBanner(summary),
    { tiles: keyMetrics(summary) },
    { page: leadSentence(summary) },
    ...sections,
    { page: footer(summary) },
  ];
  return await document({ title: `${title(summary.name)}: rehearse`, blocks, data });
}

const isDistribution = ({ axis }: Chart) => axis === "percentiles";

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
function references(summary: Summary, plan: string | undefined): Section[] {
  const { endpoints, metrics } = summary;
  const isShort = endpoints.length <= MAX_ENDPOINTS;
  const times = Object.values(metrics).filter((stats) => "avg" in stats && stats.count > 0).length;
  const planText = plan === undefined ? undefined : markup`<pre tabindex="0">${lines(plan)}</pre>`;
  const fold = (section: Section, isOpen: boolean): Section => ({
    ...section,
    fold: isOpen ? "open" : "closed",
  });
  return [
    ...[
      groupSection(summary),
      checkSection(rankChecks(summary.checks)),
      scenarioSection(summary),
    ].map((section) => fold(section, isShort)),
    fold(trendSection(summary), isShort && times <= MAX_TIMES),
    fold({ title: "The plan", blocks: [{ page: planText }] }, false),
  ];
}

function footer({ environment, schema, plan_hash }: Summary): Markup {
  const parts = [
    environment && `rehearse ${environment.version}`,
    `summary format ${schema}`,
    `plan ${plan_hash.slice(0, 12)}`,
  ];
  return markup`<footer class="faint">${parts.filter(Boolean).join(" · ")}</footer>`;
}
