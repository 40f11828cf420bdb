import type { Cumulative } from "./rate_fit.ts";

/** A stage from one point and rate to another, and where its area may begin so that it stays close. */
interface Stage {
  readonly from: number;
  readonly to: number;
  /** The greatest and the least of count minus the area that the stage adds, over its points. */
  readonly most: number;
  readonly least: number;
  /** The area of the whole stage. */
  readonly area: number;
}

/** More stages than this would take too much memory; so many are there only if all is far off. */
const MOST_STAGES = 1_000_000;

/** Where knots may be: which of the points, the first and the last among them, and which rates. */
export interface Grid {
  readonly points: readonly number[];
  readonly rates: readonly number[];
}

/**
 * How near to the count a curve of `stages` straight pieces can stay at all points, if it ends where the
 * count ends, has its knots on a grid, and is nowhere farther than `within`. By dynamic programming over
 * stages, knots and rates, each with the areas that are reachable, for one distance after the other
 * (bisected to 1 %). Areas between two that are reachable are taken for reachable, so that no curve of
 * the grid stays nearer than `least`, and perhaps none as near; `knots` are those that the areas lead
 * back to. Nothing is found out, and `least` is 0, where over a million stages would have to be tried.
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

/** Rates for a grid: none, and others up to twice the greatest mean between two points. */
export function gridRates({ times, counts }: Cumulative, size: number): number[] {
  let most = 0;
  for (let i = 1; i < times.length; i++) {
    most = Math.max(most, (counts[i] - counts[i - 1]) / (times[i] - times[i - 1]));
  }
  const least = counts.at(-1)! / times.at(-1)! / 8;
  const ratio = (2 * most / least) ** (1 / (size - 2));
  return [0, ...Array.from({ length: size - 1 }, (_, i) => least * ratio ** i)];
}

/** Every stage that any curve within this distance can have, by where it starts. */
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

/** The reachable areas after each number of stages; undefined when the end is not reached. */
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

/** The knots of a curve that the layers lead back to, as points; of the areas the nearest are taken. */
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
