import { html, type Markup } from "./markup.ts";

/** A colour of the palette. `quiet` is the grey of reference lines. */
export type Tone = "one" | "two" | "three" | "quiet" | "warn";

/** A line of a chart. */
export interface Series {
  readonly label: string;
  readonly tone: Tone;
  /** One value for each point of the axis; null for no value. */
  readonly values: readonly (number | null)[];
  readonly dashed?: boolean;
  /** Draws a step line: each value extends to the next point. */
  readonly stepped?: boolean;
}

/** A chart over one of the page's axes. Charts of the same axis share cursor and zoom. */
export interface Chart {
  readonly title: string;
  readonly axis: string;
  /** Unit of the values: counts, counts per second, ms, or shares from 0 to 1. */
  readonly unit: "count" | "rate" | "ms" | "share";
  readonly series: readonly Series[];
}

/** Data that the page's script draws the charts from. */
export interface ChartData {
  /**
   * Points of each axis, in ascending order. `seconds` counts from the start of a run; `utc` is in Unix
   * seconds.
   */
  readonly axes: Readonly<Record<string, readonly number[]>>;
  readonly charts: readonly Chart[];
}

/** Returns the elements that the page's script draws the charts into, numbered from `from`. */
export function chartGrid(charts: readonly Chart[], from = 0): Markup {
  return html`<div class="charts">${charts.map((chart, i) => chartElement(chart, from + i))}</div>`;
}

function chartElement({ title, series }: Chart, index: number): Markup {
  const keys = series.map(({ label, tone, dashed }) =>
    html`<span class="key ${tone}${
      dashed ? " dashed" : ""
    }"><i></i>${label} <output></output></span>`
  );
  return html`
    <figure data-chart="${index}">
      <figcaption><b>${title}</b> <span class="at"></span>${keys}</figcaption>
      <div
        class="plot" tabindex="0" role="img"
        aria-label="${title}: ${series.map(({ label }) => label).join(
          ", ",
        )}. Arrow keys move the cursor, plus and minus zoom, Escape resets the zoom."></div>
    </figure>
  `;
}
