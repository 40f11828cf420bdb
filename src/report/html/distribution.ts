import type { Histogram } from "../../base/histogram.ts";
import { html, type Markup } from "./markup.ts";

const BINS = 32;
const HEIGHT = 18;
const BAR = 3;

/** Draws histograms as small bar charts that share one logarithmic axis, so that rows are comparable. */
export function distributions(histograms: readonly Histogram[]): Markup[] {
  const filled = histograms.filter(({ count }) => count > 0);
  const low = Math.log(Math.max(1, Math.min(...filled.map(({ min }) => min))));
  const high = Math.log(Math.max(2, ...filled.map(({ max }) => max + 1)));
  const binOf = (value: number) => {
    const share = (Math.log(Math.max(1, value)) - low) / (high - low || 1);
    return Math.max(0, Math.min(BINS - 1, Math.floor(share * BINS)));
  };
  return histograms.map((histogram) => bars(binned(histogram, binOf)));
}

function binned(histogram: Histogram, binOf: (value: number) => number): number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const [value, count] of histogram.buckets()) bins[binOf(value)] += count;
  return bins;
}

/** Draws bars scaled to the tallest one. Bins that are not empty are at least one unit high. */
function bars(bins: readonly number[]): Markup {
  const most = Math.max(...bins);
  const path = bins.flatMap((n, i) => {
    if (n === 0) return [];
    const height = Math.max(1, Math.round(n / most * HEIGHT));
    return [`M${i * BAR} ${HEIGHT}v-${height}h${BAR - 1}v${height}z`];
  });
  return html`
    <svg class="bars" viewBox="0 0 ${BINS * BAR} ${HEIGHT}" width="${BINS * BAR}" height="${HEIGHT}"
      aria-hidden="true">
      <path d="${path.join("")}" />
    </svg>
  `;
}
