import { html, type Markup } from "./markup.ts";

/** A colour of the palette; `quiet` is the grey of what things are compared with. */
export type Tone = "one" | "two" | "three" | "quiet" | "warn";

/** A line of a chart. */
export interface Series {
  readonly label: string;
  readonly tone: Tone;
  /** One for each place on the axis; null where there is nothing. */
  readonly values: readonly (number | null)[];
  readonly dashed?: boolean;
  /** The line keeps its height up to the next point. */
  readonly stepped?: boolean;
}

/** A chart over one of the page's axes; charts of one axis share cursor and zoom. */
export interface Chart {
  readonly title: string;
  readonly axis: string;
  /** What its values are: counts, counts a second, ms, shares from 0 to 1. */
  readonly unit: "count" | "rate" | "ms" | "share";
  readonly series: readonly Series[];
}

/** What the page's script draws from. */
export interface ChartData {
  /**
   * The points of each axis, rising. `seconds` counts from the start of a run, `utc` is Unix seconds.
   */
  readonly axes: Readonly<Record<string, readonly number[]>>;
  readonly charts: readonly Chart[];
}

/** The figures that the page's script draws the charts into. */
export function chartGrid(charts: readonly Chart[], from = 0): Markup {
  return html`<div class="charts">${charts.map((chart, i) => figure(chart, from + i))}</div>`;
}

function figure({ title, series }: Chart, index: number): Markup {
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
        )}. Arrow keys move along it, plus and minus zoom, Escape shows all."></div>
    </figure>
  `;
}
