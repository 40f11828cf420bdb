import { type Markup, markup } from "./markup.ts";

/** Color of a line in a chart. `quiet` is the gray of reference lines. */
export type Tone = "one" | "two" | "three" | "quiet" | "warn";

/** A line of a chart. */
export interface Series {
  readonly label: string;
  readonly tone: Tone;
  /** One value for each value of the x-axis. Null leaves a gap in the line. */
  readonly values: readonly (number | null)[];
  readonly dashed?: boolean;
  /** True to draw steps: the line stays at each value until the next point. */
  readonly stepped?: boolean;
}

/** A chart. Charts with the same x-axis share their cursor and zoom. */
export interface Chart {
  readonly title: string;
  /** Key of the x-axis in `ChartData.axes`. */
  readonly axis: string;
  /**
   * Unit of the values. A `rate` is per second, a `share` is from 0 to 1, and a `ratio` is from 1/16 to 16
   * and is drawn on a log scale.
   */
  readonly unit: "count" | "rate" | "ms" | "share" | "ratio";
  readonly series: readonly Series[];
}

/** Data of the charts on a page. The script of the page draws them. */
export interface ChartData {
  /**
   * Values of each x-axis in ascending order, keyed by axis. The axis `seconds` contains seconds
   * since the start of the run, `utc` contains Unix seconds, and `percentiles` contains positions
   * as in `PercentilePoint`.
   */
  readonly axes: Readonly<Record<string, readonly number[]>>;
  readonly charts: readonly Chart[];
  /** Time zone in which the axis `utc` is labeled (default: `UTC`). */
  readonly zone?: string;
}

/**
 * Creates an empty HTML element for each chart. The script of the page draws the charts in these
 * elements. `from` is the index of the first chart in `ChartData.charts`.
 */
export function chartGrid(charts: readonly Chart[], from = 0): Markup {
  return markup`<div class="charts">${
    charts.map((chart, i) => chartElement(chart, from + i))
  }</div>`;
}

function chartElement({ title, series }: Chart, index: number): Markup {
  const keys = series.map(({ label, tone, dashed }) =>
    markup`
      <span class="key ${tone}${dashed ? " dashed" : ""}"><i></i>${label} <output></output></span>
    `
  );
  const description = `${title}: ${series.map(({ label }) => label).join(", ")}. ` +
    "Arrow keys move the cursor, plus and minus zoom, Escape resets the zoom.";
  return markup`
    <figure data-chart="${index}">
      <figcaption><b>${title}</b> <span class="at"></span>${keys}</figcaption>
      <div class="plot" tabindex="0" role="img" aria-label="${description}"></div>
    </figure>
  `;
}
