import { type Markup, markup } from "./markup.ts";

/** Colour of a chart line. `quiet` is the grey of reference lines. */
export type Tone = "one" | "two" | "three" | "quiet" | "warn";

/** A line of a chart. */
export interface Series {
  readonly label: string;
  readonly tone: Tone;
  /** One value for each point of the x-axis, or null where there is no value. */
  readonly values: readonly (number | null)[];
  readonly dashed?: boolean;
  /** True to draw a step line, in which each value extends to the next point. */
  readonly stepped?: boolean;
}

/**
 * A chart that uses one of the x-axes of the page. Charts with the same x-axis share the cursor and
 * the zoom.
 */
export interface Chart {
  readonly title: string;
  readonly axis: string;
  /** Unit of the values: counts, counts per second, milliseconds, or fractions from 0 to 1. */
  readonly unit: "count" | "rate" | "ms" | "share";
  readonly series: readonly Series[];
}

/** Data from which the script of the page draws the charts. */
export interface ChartData {
  /**
   * X-values of each axis, in ascending order. The axis `seconds` counts seconds from the start of
   * a run. The axis `utc` uses Unix seconds.
   */
  readonly axes: Readonly<Record<string, readonly number[]>>;
  readonly charts: readonly Chart[];
}

/**
 * Returns one HTML element for each chart, into which the script of the page draws it. Numbers the
 * elements consecutively, starting with `from`.
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
