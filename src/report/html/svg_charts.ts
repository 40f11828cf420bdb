import { formatMs, plural, time } from "../../base/format.ts";
import { coarseLowest, type Histogram } from "../../base/histogram.ts";
import type { EndpointSeries } from "../../engine/summary/flow_stats.ts";
import { type Markup, markup } from "../markup.ts";
import type { TotalSeries } from "./series.ts";

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

/**
 * Number of histogram buckets that one row of the heat map combines. Two rows together cover a
 * doubling of the response time.
 */
const BUCKETS_PER_ROW = 8;
/** Number of levels of opacity for cells. */
const SHADES = 6;
const [MAP_HEIGHT, LABELS] = [150, 58];
/** Maximum number of labels on the y-axis. */
const MAX_LABELS = 8;
/** Maximum number of parts into which ticks divide the time axis. */
const MAX_TICKS = 6;
const STEPS = [1, 2, 5, 10, 15, 30] as const;
/** Possible distances between ticks, in seconds. They are the same as in the other charts. */
const DISTANCES: readonly number[] = [
  ...STEPS,
  ...STEPS.map((minutes) => 60 * minutes),
  ...[1, 2, 4, 12, 24].map((hours) => 3_600 * hours),
];

type Cells = readonly ReadonlyMap<number, number>[];

/**
 * Draws how the response times of all requests are distributed over the run: each column is an
 * interval, and each row is a range of response times on a log scale. The map ends with the run, so
 * its last column can be narrower. Returns undefined if the times are unknown or there are too few
 * intervals.
 */
export function latencyHeatMap(
  total: TotalSeries | undefined,
  durationMs: number,
): Markup | undefined {
  if (total === undefined || total.intervals.length < 3) return undefined;
  const { step, intervals } = total;
  const cells: Cells = intervals.map(({ times }) => rowCounts(times));
  const rows = cells.flatMap((column) => [...column.keys()]);
  if (rows.length === 0) return undefined;
  const [low, high] = [Math.min(...rows), Math.max(...rows)];
  const height = high - low + 1;
  // If the run ends at the start of its last interval, keep the last column visible.
  const width = Math.max(durationMs / 1_000 / step, cells.length - 0.9);
  const most = Math.max(...cells.flatMap((column) => [...column.values()]));
  return markup`
    <figure class="heatmap">
      <figcaption><b>Latency heat map</b> <span>stronger color: more requests</span></figcaption>
      <div role="img" aria-label="${describe(total, low, high)}">
        <svg class="labels" width="${LABELS}" height="${MAP_HEIGHT}" aria-hidden="true">
          ${rowLabels(low, high)}
        </svg>
        <svg viewBox="0 0 ${width} ${height}" height="${MAP_HEIGHT}" width="100%"
          preserveAspectRatio="none" aria-hidden="true">
          ${shadePaths(cells, high, most, width)}
          ${intervals.map(({ count }, i) => columnTitle(i, step, count, cells[i], width))}
        </svg>
      </div>
      <div aria-hidden="true">
        <svg class="labels" width="${LABELS}" height="16"></svg>
        <svg class="ticks" width="100%" height="16">${timeLabels(width * step)}</svg>
      </div>
    </figure>
  `;
}

function rowCounts(pairs: Uint32Array): Map<number, number> {
  const rows = new Map<number, number>();
  for (let i = 0; i < pairs.length; i += 2) {
    const row = Math.floor(pairs[i] / BUCKETS_PER_ROW);
    rows.set(row, (rows.get(row) ?? 0) + pairs[i + 1]);
  }
  return rows;
}

function shadePaths(cells: Cells, high: number, most: number, end: number): Markup[] {
  const paths = Array.from({ length: SHADES }, () => "");
  cells.forEach((column, x) => {
    const width = Math.min(1, end - x);
    for (const [row, n] of column) {
      const share = Math.log1p(n) / Math.log1p(most);
      const shade = Math.max(0, Math.min(SHADES - 1, Math.ceil(SHADES * share) - 1));
      paths[shade] += `M${x} ${high - row}h${width}v1h-${width}z`;
    }
  });
  return paths.flatMap((path, i) =>
    path === "" ? [] : [markup`<path d="${path}" fill-opacity="${(i + 1) / SHADES}" />`]
  );
}

function columnTitle(
  index: number,
  step: number,
  count: number,
  rows: ReadonlyMap<number, number>,
  end: number,
): Markup {
  const to = Math.min(index + 1, end);
  const [first, last] = [index, to].map((i) => formatMs(Math.round(i * step * 1_000)));
  const [common] = [...rows].sort(([, a], [, b]) => b - a);
  // The last interval may be too short for two different labels.
  const period = first === last ? `from ${first}` : `${first} to ${last}`;
  const often = common === undefined
    ? ""
    : `; most often ${time(rowStart(common[0]))} to ${time(rowStart(common[0] + 1))}`;
  return markup`
    <rect x="${index}" y="0" width="${
    to - index
  }" height="100%" fill-opacity="0"><title>${`${period}: ${
    plural(count, "request")
  }${often}`}</title></rect>
  `;
}

function rowLabels(low: number, high: number): Markup[] {
  const rows = high - low + 1;
  const step = Math.ceil(rows / MAX_LABELS);
  return Array.from({ length: Math.ceil(rows / step) }, (_, i) => {
    const row = low + i * step;
    const y = Math.round((high - row + 1) * MAP_HEIGHT / rows);
    return markup`<text x="${LABELS - 6}" y="${y}" text-anchor="end">${time(rowStart(row))}</text>`;
  });
}

function timeLabels(seconds: number): Markup[] {
  const distance = DISTANCES.find((one) => seconds / one <= MAX_TICKS) ??
    86400 * Math.ceil(seconds / 86400 / MAX_TICKS);
  return Array.from({ length: Math.floor(seconds / distance) + 1 }, (_, i) => {
    const share = i * distance / seconds;
    const anchor = i === 0 ? "start" : share > 0.95 ? "end" : "middle";
    return markup`
      <text x="${Number((100 * share).toFixed(2))}%" y="12" text-anchor="${anchor}">${
      clock(i * distance)
    }</text>
    `;
  });
}

/** Formats seconds since the start of the run as the other charts do: `0:02`, `1:00:00`. */
function clock(seconds: number): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

function rowStart(row: number): number {
  return coarseLowest(row * BUCKETS_PER_ROW) / 1_000;
}

function describe({ step, intervals }: TotalSeries, low: number, high: number): string {
  const requests = intervals.reduce((sum, { count }) => sum + count, 0);
  return `Latency heat map: ${plural(requests, "request")} in ${
    plural(intervals.length, "interval")
  } of ${formatMs(step * 1_000)}, response times from ${time(rowStart(low))} to ${
    time(rowStart(high + 1))
  }.`;
}
