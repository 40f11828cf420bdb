import { coarseLowest } from "../../base/coarse_buckets.ts";
import { formatMs } from "../../base/duration.ts";
import { plural, time } from "../../base/format.ts";
import { type Markup, markup } from "./markup.ts";
import type { TotalSeries } from "./total_series.ts";

/** Number of coarse buckets in a row. Two rows are one doubling of the response time. */
const BUCKETS_PER_ROW = 8;
/** Number of shades, from the faintest to the strongest. */
const SHADES = 6;
/** Height of the map, and width of its labels, in pixels. */
const [HEIGHT, LABELS] = [150, 58];
/** Maximum number of labels. */
const MAX_LABELS = 8;

/** Number of requests by interval and row. */
type Cells = readonly ReadonlyMap<number, number>[];

/**
 * Draws how the response times of all requests are distributed over the run: a column is an interval,
 * a row is a range of response times on a log scale. Returns undefined if the times are unknown or
 * there are too few intervals.
 */
export function latencyHeatMap(total: TotalSeries | undefined): Markup | undefined {
  if (total === undefined || total.intervals.length < 3) return undefined;
  const { step, intervals } = total;
  const cells: Cells = intervals.map(({ times = new Uint32Array() }) => rowCounts(times));
  const rows = cells.flatMap((column) => [...column.keys()]);
  if (rows.length === 0) return undefined;
  const [low, high] = [Math.min(...rows), Math.max(...rows)];
  const height = high - low + 1;
  const most = Math.max(...cells.flatMap((column) => [...column.values()]));
  return markup`
    <figure class="heatmap">
      <figcaption><b>Latency heat map</b> <span>stronger color: more requests</span></figcaption>
      <div role="img" aria-label="${describe(total, low, high)}">
        <svg class="labels" width="${LABELS}" height="${HEIGHT}" aria-hidden="true">
          ${rowLabels(low, high)}
        </svg>
        <svg viewBox="0 0 ${cells.length} ${height}" height="${HEIGHT}" width="100%"
          preserveAspectRatio="none" aria-hidden="true">
          ${shadePaths(cells, high, most)}
          ${intervals.map(({ count }, i) => columnTitle(i, step, count, cells[i]))}
        </svg>
      </div>
      <p class="ticks">${timeLabels(cells.length * step)}</p>
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

/** Draws the cells of each shade as one path, which is much smaller than one element per cell. */
function shadePaths(cells: Cells, high: number, most: number): Markup[] {
  const paths = Array.from({ length: SHADES }, () => "");
  cells.forEach((column, x) => {
    for (const [row, n] of column) {
      const share = Math.log1p(n) / Math.log1p(most);
      const shade = Math.max(0, Math.min(SHADES - 1, Math.ceil(SHADES * share) - 1));
      paths[shade] += `M${x} ${high - row}h1v1h-1z`;
    }
  });
  return paths.flatMap((path, i) =>
    path === "" ? [] : [markup`<path d="${path}" fill-opacity="${(i + 1) / SHADES}" />`]
  );
}

/** Creates an invisible column whose tooltip describes the interval. */
function columnTitle(
  index: number,
  step: number,
  count: number,
  rows: ReadonlyMap<number, number>,
): Markup {
  const [from, to] = [index, index + 1].map((i) => formatMs(i * step * 1_000));
  const [common] = [...rows].sort(([, a], [, b]) => b - a);
  const often = common === undefined
    ? ""
    : `; most often ${time(rowStart(common[0]))} to ${time(rowStart(common[0] + 1))}`;
  return markup`
    <rect x="${index}" y="0" width="1" height="100%" fill-opacity="0"><title>${`${from} to ${to}: ${
    plural(count, "request")
  }${often}`}</title></rect>
  `;
}

function rowLabels(low: number, high: number): Markup[] {
  const rows = high - low + 1;
  const step = Math.ceil(rows / MAX_LABELS);
  return Array.from({ length: Math.ceil(rows / step) }, (_, i) => {
    const row = low + i * step;
    const y = Math.round((high - row + 1) * HEIGHT / rows);
    return markup`<text x="${LABELS - 6}" y="${y}" text-anchor="end">${time(rowStart(row))}</text>`;
  });
}

function timeLabels(seconds: number): Markup[] {
  const shares = [0, 1 / 4, 1 / 2, 3 / 4, 1];
  return shares.map((share) =>
    markup`<span>${share === 0 ? "0s" : formatMs(Math.round(share * seconds) * 1_000)}</span>`
  );
}

/** Returns the lowest response time of a row in ms. */
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
