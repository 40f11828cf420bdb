import type { Cumulative } from "../../src/convert/accesslog/rate/curve_within.ts";

/**
 * A linear piece of a curve between the grid nodes `from` and `to`. The number of a node is `point
 * index × number of rates + rate index`.
 */
interface Stage {
  readonly from: number;
  readonly to: number;
  /**
   * Largest difference, at any time in the stage, between the cumulative count and the area under
   * the stage's rate up to this time. `least` is the smallest difference.
   */
  readonly most: number;
  readonly least: number;
  /** Number of requests that the whole stage sends: the area under its rate. */
  readonly area: number;
}

/** Maximum number of stages to keep in memory. Only a search for large deviations exceeds it. */
const MOST_STAGES = 1_000_000;

/** The candidate knots of a curve: all combinations of a point and a rate. */
export interface Grid {
  readonly points: readonly number[];
  readonly rates: readonly number[];
}

/**
 * Returns `least`, a lower bound in requests on the maximum deviation of any curve from the log.
 * Considers curves with at most `stages` linear pieces, knots on the grid, the log's total area,
 * and a deviation of at most `within`. Bisects the deviation to a precision of 1%. For each
 * deviation, uses dynamic programming over stages, points and rates to find the reachable intervals
 * of area. Treats every area in an interval as reachable, so there may be no curve that attains
 * `least`. `knots` are the points of one path back through the intervals, or undefined if none was
 * found. If there are more than a million possible stages, `least` is 0 and `knots` is undefined.
 */
export function leastOnGrid(
  cumulative: Cumulative,
  stages: number,
  grid: Grid,
  within: number,
): { readonly least: number; readonly knots?: readonly number[] } {
  const total = cumulative.counts.at(-1)!;
  const all = stagesWithin(cumulative, grid, within);
  if (all === undefined) return { least: 0 };
  let [low, high] = [0, within];
  let knots: readonly number[] | undefined;
  while (high - low > 0.01 * high) {
    const middle = (low + high) / 2;
    const layers = reach(all, grid, total, stages, middle);
    if (layers === undefined) low = middle;
    else {
      high = middle;
      knots = traceKnots(all, layers, grid, total, middle) ?? knots;
    }
  }
  return { least: low, knots };
}

/**
 * Returns `size` rates for a grid, in requests per second: 0, followed by a geometric series that
 * ends at twice the highest mean rate between two adjacent times.
 */
export function gridRates({ times, counts }: Cumulative, size: number): number[] {
  let most = 0;
  for (let i = 1; i < times.length; i++) {
    most = Math.max(most, (counts[i] - counts[i - 1]) / (times[i] - times[i - 1]));
  }
  const least = counts.at(-1)! / times.at(-1)! / 8;
  const ratio = (2 * most / least) ** (1 / (size - 2));
  return [0, ...Array.from({ length: size - 1 }, (_, i) => least * ratio ** i)];
}

/**
 * Returns all stages that a curve with a deviation of at most `within` can contain, in ascending
 * order of their starts. Returns undefined if there are more than a million.
 */
function stagesWithin(
  { times, counts }: Cumulative,
  { points, rates }: Grid,
  within: number,
): Stage[] | undefined {
  const stages: Stage[] = [];
  const width = rates.length;
  for (let i = 0; i < points.length - 1; i++) {
    const start = points[i];
    for (let a = 0; a < width; a++) {
      for (let j = i + 1; j < points.length; j++) {
        for (let b = 0; b < width; b++) {
          const length = times[points[j]] - times[start];
          const slope = (rates[b] - rates[a]) / (2 * length);
          let most = counts[start];
          let least = counts[start];
          for (let m = points[j]; m > start && most - least <= 2 * within; m--) {
            const x = times[m] - times[start];
            const rest = counts[m] - x * (rates[a] + slope * x);
            if (rest > most) most = rest;
            if (rest < least) least = rest;
          }
          if (most - least > 2 * within) continue;
          const area = length * (rates[a] + rates[b]) / 2;
          stages.push({ from: i * width + a, to: j * width + b, most, least, area });
        }
      }
    }
    if (stages.length > MOST_STAGES) return undefined;
  }
  return stages;
}

interface Layer {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/**
 * Returns, for each number of stages, the interval of cumulative areas that curves can reach at
 * each node. Returns undefined if no curve of at most `stages` pieces ends with the area `total`.
 * `distance` is the maximum deviation, in requests.
 */
function reach(
  all: readonly Stage[],
  { points, rates: { length: width } }: Grid,
  total: number,
  stages: number,
  distance: number,
): Layer[] | undefined {
  const size = points.length * width;
  const empty = () => ({
    low: new Float64Array(size).fill(Infinity),
    high: new Float64Array(size).fill(-Infinity),
  });
  let layer = empty();
  for (let a = 0; a < width; a++) layer.low[a] = layer.high[a] = 0;
  const layers = [layer];
  for (let k = 0; k < stages; k++) {
    const next = empty();
    for (const { from, to, most, least, area } of all) {
      const low = Math.max(layer.low[from], most - distance) + area;
      const high = Math.min(layer.high[from], least + distance) + area;
      if (low > high) continue;
      if (low < next.low[to]) next.low[to] = low;
      if (high > next.high[to]) next.high[to] = high;
    }
    layers.push(layer = next);
    for (let a = size - width; a < size; a++) {
      if (layer.low[a] <= total && total <= layer.high[a]) return layers;
    }
  }
  return undefined;
}

/**
 * Traces a curve back through the layers that `reach` returned, and returns the points of its
 * knots. If several stages fit, uses the one that needs the smallest correction of its area.
 * Returns undefined if no stage fits.
 */
function traceKnots(
  all: readonly Stage[],
  layers: readonly Layer[],
  { points, rates }: Grid,
  total: number,
  distance: number,
): readonly number[] | undefined {
  const width = rates.length;
  const last = layers.at(-1)!;
  let state = points.length * width - width;
  while (!(last.low[state] <= total && total <= last.high[state])) state++;
  let area = total;
  const states = [state];
  for (let k = layers.length - 2; k >= 0; k--) {
    const { low, high } = layers[k];
    let stage: Stage | undefined;
    let nearest = Infinity;
    let begin = 0;
    for (const one of all) {
      if (one.to !== state) continue;
      const from = Math.max(low[one.from], one.most - distance);
      const to = Math.min(high[one.from], one.least + distance);
      if (from > to) continue;
      const start = Math.min(to, Math.max(from, area - one.area));
      const off = Math.abs(start - (area - one.area));
      if (off < nearest) [nearest, stage, begin] = [off, one, start];
    }
    if (stage === undefined) return undefined;
    area = begin;
    states.unshift(state = stage.from);
  }
  return states.map((state) => points[Math.floor(state / width)]);
}
