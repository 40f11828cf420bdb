import { plural, time } from "../../base/format.ts";
import type { Histogram } from "../../base/histogram.ts";
import type { EndpointSeries } from "../../engine/summary/flow_stats.ts";
import { type Markup, markup } from "../markup.ts";

const LINE_WIDTH_PX = 72;

const LINE_HEIGHT_PX = 18;

const MARK = 3;

const BINS = 32;
const HEIGHT = 18;
const BAR = 3;

/**
 * Draws each histogram as a small bar chart. All charts have the same logarithmic x-axis, so that
 * the charts in the rows of a table are comparable.
 */
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

function bars(bins: readonly number[]): Markup {
  const most = Math.max(...bins);
  const path = bins.flatMap((n, i) => {
    if (n === 0) return [];
    const height = Math.max(1, Math.round(n / most * HEIGHT));
    return [`M${i * BAR} ${HEIGHT}v-${height}h${BAR - 1}v${height}z`];
  });
  return barChart(BINS * BAR, HEIGHT, path.join(""));
}

/** Creates a chart of `width` by `height` pixels from the SVG path of its bars. */
export function barChart(width: number, height: number, path: string): Markup {
  return markup`
    <svg class="bars" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
      aria-hidden="true">
      <path d="${path}" />
    </svg>
  `;
}

/**
 * Draws the mean response time of an endpoint over the run as a small line chart, scaled to its
 * maximum. The line has gaps where there were no requests, and marks at the bottom show failed
 * requests.
 */
export function seriesLine({ count, failed, avg }: EndpointSeries): Markup {
  const most = Math.max(...avg) || 1;
  const last = Math.max(1, count.length - 1);
  const line = count.map((n, i) => {
    if (n === 0) return "";
    const y = Math.round((1 - avg[i] / most) * (LINE_HEIGHT_PX - 2)) + 1;
    // A single point between two gaps becomes a dot: a line of length 0 with round caps.
    return count[i - 1] > 0 ? `L${i} ${y}` : `M${i} ${y}h0`;
  });
  const marks = failed.map((n, i) => n > 0 ? `M${i} ${LINE_HEIGHT_PX}v-${MARK}` : "");
  const [width, height] = [LINE_WIDTH_PX, LINE_HEIGHT_PX];
  return markup`
    <svg class="line" viewBox="0 0 ${last} ${height}" width="${width}" height="${height}"
      preserveAspectRatio="none" role="img">
      <title>${describeSeries(count, failed, avg)}</title>
      <path d="${line.join("")}" />
      <path class="marks" d="${marks.join("")}" />
    </svg>
  `;
}

function describeSeries(
  count: readonly number[],
  failed: readonly number[],
  avg: readonly number[],
): string {
  const times = avg.filter((_, i) => count[i] > 0);
  if (times.length === 0) return "no requests";
  const faults = failed.reduce((sum, n) => sum + n, 0);
  const range = `mean response time ${time(Math.min(...times))} to ${time(Math.max(...times))}`;
  return faults === 0 ? range : `${range}; ${plural(faults, "request")} failed`;
}
