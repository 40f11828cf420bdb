import { isDrifting } from "../../compare/judge_history.ts";
import type { MetricHistory } from "../../compare/run_history.ts";
import { inUnit } from "../../compare/unit.ts";
import { type Markup, markup } from "../markup.ts";

const WIDTH = 480;
const HEIGHT = 170;
/** Width of the margin on the left of the plot, which contains labels, in SVG units. */
const LEFT = 56;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 22;
/** Maximum number of labels on the x-axis. */
const MAX_LABELS = 20;

/**
 * Draws a metric of several runs as a line chart: a point for each run with its 99% confidence
 * interval, and a dashed line if the metric drifts. The y-axis starts at 0. Runs without a value
 * leave gaps. `names` contains the name of each run for tooltips.
 */
export function historyChart(metric: MetricHistory, names: readonly string[]): Markup {
  const { label, unit, values } = metric;
  const most = highest(metric);
  const x = (at: number) =>
    Math.round(
      LEFT + (WIDTH - LEFT - RIGHT) * (values.length === 1 ? 0.5 : at / (values.length - 1)),
    );
  const y = (value: number) =>
    Math.round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(1, value / most)));
  const line = values.map((estimate, i) => {
    if (estimate === undefined) return "";
    return `${values[i - 1] === undefined ? "M" : "L"}${x(i)} ${y(estimate.value)}`;
  });
  const intervals = values.map((estimate, i) => {
    if (estimate === undefined || estimate.low === estimate.high) return "";
    return `M${x(i)} ${y(estimate.low)}V${y(estimate.high)}`;
  });
  const points = values.map((estimate, i) =>
    estimate && markup`
      <circle cx="${x(i)}" cy="${y(estimate.value)}" r="3">
        <title>${i + 1}. ${names[i]}: ${inUnit(estimate.value, unit)}</title>
      </circle>
    `
  );
  const drift = isDrifting(metric)
    ? markup`<path class="drift" d="M${x(0)} ${y(metric.drift!.from)}L${x(values.length - 1)} ${
      y(metric.drift!.to)
    }" />`
    : undefined;
  const step = Math.ceil(values.length / MAX_LABELS);
  const runs = values.map((_, i) =>
    i % step === 0
      ? markup`<text x="${x(i)}" y="${HEIGHT - 6}" text-anchor="middle">${i + 1}</text>`
      : undefined
  );
  const levels = [0, most / 2, most].map((value) =>
    markup`
      <path class="rule" d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" />
      <text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${inUnit(value, unit)}</text>
    `
  );
  return markup`
    <figure>
      <figcaption><b>${label}</b></figcaption>
      <svg class="history" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
        aria-label="${describe(metric)}">
        ${levels}${runs}
        <path class="interval" d="${intervals.join("")}" />
        ${drift}
        <path class="values" d="${line.join("")}" />
        ${points}
      </svg>
    </figure>
  `;
}

/**
 * Returns the top of the y-axis: the maximum of the values, the ends of the drift line, and the
 * upper bounds of the confidence intervals. Intervals without an upper bound are drawn up to the
 * top.
 */
function highest({ values, drift }: MetricHistory): number {
  const known = values.filter((estimate) => estimate !== undefined);
  const ends = known.flatMap(({ value, high }) => high === Infinity ? [value] : [value, high]);
  return Math.max(0, ...ends, drift?.from ?? 0, drift?.to ?? 0) || 1;
}

function describe({ label, unit, values }: MetricHistory): string {
  const texts = values.map((estimate) => estimate ? inUnit(estimate.value, unit) : "no value");
  return `${label} of each run: ${texts.join(", ")}`;
}

const SMALL_WIDTH = 72;
const SMALL_HEIGHT = 18;

/**
 * Draws a metric of several runs as a small line chart, for a row of a table. The y-axis starts at
 * 0 and ends at the maximum.
 */
export function historyLine(metric: MetricHistory): Markup {
  const { values } = metric;
  const most = Math.max(0, ...values.map((estimate) => estimate?.value ?? 0)) || 1;
  const last = Math.max(1, values.length - 1);
  const line = values.map((estimate, i) => {
    if (estimate === undefined) return "";
    const y = Math.round((1 - estimate.value / most) * (SMALL_HEIGHT - 2)) + 1;
    // A single point between two gaps becomes a dot: a line of length 0 with round caps.
    return values[i - 1] === undefined ? `M${i} ${y}h0` : `L${i} ${y}`;
  });
  return markup`
    <svg class="line" viewBox="0 0 ${last} ${SMALL_HEIGHT}" width="${SMALL_WIDTH}"
      height="${SMALL_HEIGHT}" preserveAspectRatio="none" role="img"
      aria-label="${describe(metric)}">
      <path d="${line.join("")}" />
    </svg>
  `;
}
