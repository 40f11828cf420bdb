import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";
import { cumulativeAt, samplePoints } from "./cumulative.ts";
import { fitCurve, polished } from "./fit_curve.ts";
import { type Grid, gridRates, leastOnGrid } from "./least_on_grid.ts";
import type { Cumulative } from "./rate_fit.ts";

/**
 * A piecewise linear rate: `rates[i]` is the number of requests per second at `times[i]`, in seconds
 * from the first request.
 */
export interface RateCurve {
  readonly times: readonly number[];
  readonly rates: readonly number[];
}

/**
 * Maximum number of fits in `refine`. Each adds the times with the largest errors of the previous one.
 */
const EXCHANGES = 3;
/** Rates below this fraction of the mean rate are rounding errors and become 0. */
const LEAST_SHARE = 1e-5;
/** Initial value of `size` for `samplePoints`, which selects the times to fit to. */
const POINTS = 300;
/** Value of `size` for `samplePoints`, which selects the times of the grid for knots. */
const GRID_POINTS = 60;
/** Number of rates of the grid for knots. */
const GRID_RATES = 20;

/**
 * Fits a curve of at most `stages` linear pieces to the rate of a log. The area under the curve is the
 * log's number of requests, and its maximum deviation from the log's cumulative count is small. Finds
 * knots on a grid of times and rates, then refines knots and rates at the times of the largest errors.
 */
export function fitRateCurve(profile: TrafficProfile, stages: number): RateCurve {
  const points = samplePoints(profile, POINTS);
  const cumulative = cumulativeAt(profile, points);
  const roughly = (stages: number) =>
    polished(cumulative, fitCurve(cumulative, stages).knots, stages);
  const rough = roughly(stages);
  const { knots = rough.knots } = leastOnGrid(
    cumulative,
    stages,
    buildGrid(profile, points, cumulative),
    rough.farthest,
  );
  // None of these is guaranteed to be optimal; starting from fewer knots is sometimes better.
  const fewer = Math.ceil(stages * 2 / 3);
  const starts: [knots: readonly number[], stages: number][] = [
    [rough.knots, stages],
    [knots, stages],
    [roughly(fewer).knots, fewer],
  ];
  const curves = starts
    .map(([knots, most]) => refine(profile, points, knots.map((knot) => points[knot]), most));
  return curves.reduce((best, curve) => curve.most < best.most ? curve : best).curve;
}

/** Builds the grid for knots from about a fifth of the points, and from the rates of `gridRates`. */
function buildGrid(
  profile: TrafficProfile,
  points: readonly number[],
  cumulative: Cumulative,
): Grid {
  const times = new Set(samplePoints(profile, GRID_POINTS));
  return {
    points: [...points.keys()].filter((i) => times.has(points[i])),
    rates: gridRates(cumulative, GRID_RATES),
  };
}

/**
 * Refits the curve repeatedly, adding the times of the largest errors (Remez-style exchange), until no
 * new large error appears. Returns the best curve and its maximum deviation in requests. `points` and
 * `knots` are times in seconds.
 */
function refine(
  profile: TrafficProfile,
  points: readonly number[],
  knots: readonly number[],
  stages: number,
): { readonly curve: RateCurve; readonly most: number } {
  let best: { readonly curve: RateCurve; readonly most: number } | undefined;
  points = merged(points, knots);
  for (let exchange = 0; exchange < EXCHANGES; exchange++) {
    const from = knots.map((time) => points.indexOf(time));
    const fit = polished(cumulativeAt(profile, points), from, stages);
    knots = fit.knots.map((knot) => points[knot]);
    const curve = scaled(knots, fit.rates, profile.requests);
    const far = farthestPoints(profile, curve);
    const most = Math.max(...far.map(({ distance }) => distance));
    if (best === undefined || most < best.most) best = { curve, most };
    const missed = far.filter(({ distance }) => distance > fit.farthest * 1.02);
    if (missed.length === 0) break;
    points = merged(points, missed.map(({ time }) => time));
  }
  return best!;
}

function merged(points: readonly number[], others: readonly number[]): number[] {
  return [...new Set([...points, ...others])].sort((a, b) => a - b);
}

function scaled(times: readonly number[], fitted: Float64Array, total: number): RateCurve {
  const scale = total / area(times, [...fitted]);
  const least = LEAST_SHARE * total / times.at(-1)!;
  const rates = [...fitted].map((rate) =>
    rate * scale < least ? 0 : Number((rate * scale).toPrecision(6))
  );
  // Merge a period without requests into one stage.
  const isTurn = (_: number, i: number) =>
    !(rates[i - 1] === 0 && rates[i] === 0 && rates[i + 1] === 0);
  return { times: times.filter(isTurn), rates: rates.filter(isTurn) };
}

/**
 * Returns the maximum absolute difference between the area under the curve and the log's cumulative
 * count, in requests.
 */
export function farthest(profile: TrafficProfile, curve: RateCurve): number {
  return Math.max(...farthestPoints(profile, curve).map(({ distance }) => distance));
}

/**
 * Returns, for each stage, the time and the size of the largest deviation from the log's cumulative
 * count. Element `i` is the stage that ends at `curve.times[i]`; element 0 has the deviation 0.
 */
function farthestPoints(
  profile: TrafficProfile,
  curve: RateCurve,
): { readonly time: number; readonly distance: number }[] {
  const { first, seconds } = profile.span()!;
  const far = curve.times.map((time) => ({ time, distance: 0 }));
  let sum = 0;
  let stage = 1;
  const compare = (time: number) => {
    while (curve.times[stage] < time) stage++;
    const distance = Math.abs(areaUntil(curve, time) - sum);
    if (distance > far[stage].distance) far[stage] = { time, distance };
  };
  for (const { start, counts } of profile.secondRuns()) {
    counts.forEach((count, i) => {
      compare(start + i - first);
      sum += count;
    });
    // Also compare at the end of a run of seconds, before the gap.
    compare(Math.min(seconds, start + counts.length - first));
  }
  compare(seconds);
  return far;
}

/** Returns the number of requests that the curve sends before `time`, in seconds from its start. */
export function areaUntil({ times, rates }: RateCurve, time: number): number {
  let sum = 0;
  for (let i = 1; i < times.length && times[i - 1] < time; i++) {
    const length = Math.min(time, times[i]) - times[i - 1];
    const slope = (rates[i] - rates[i - 1]) / (times[i] - times[i - 1]);
    sum += length * (rates[i - 1] + slope * length / 2);
  }
  return sum;
}

function area(times: readonly number[], rates: readonly number[]): number {
  return areaUntil({ times, rates }, times.at(-1)!);
}
