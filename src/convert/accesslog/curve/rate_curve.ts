import type { TrafficProfile } from "../../../traffic/accesslog/traffic_profile.ts";
import { cumulativeAt, samplePoints } from "./cumulative.ts";
import { fitCurve, polished } from "./fit_curve.ts";
import { type Grid, gridRates, leastOnGrid } from "./least_on_grid.ts";
import type { Cumulative } from "./rate_fit.ts";

/** A rate over time: at each time in seconds, from 0 on, a rate per second; straight lines between. */
export interface RateCurve {
  readonly times: readonly number[];
  readonly rates: readonly number[];
}

/** How often the curve is fitted anew to the seconds where it was farthest off. */
const EXCHANGES = 3;
/** A rate that is so small a part of the mean comes of rounding: it is none. */
const LEAST_SHARE = 1e-5;
/** Points that a curve is fitted to at first, of each kind. */
const POINTS = 300;
/** The same for the grid that knots are looked for on. */
const GRID_POINTS = 60;
/** Different rates of the grid that knots are looked for on. */
const GRID_RATES = 20;

/**
 * A curve with at most `stages` straight pieces whose area is the log's total of requests, and never
 * far from the requests so far. Where its knots stand is found on a grid of times and rates; then they
 * are moved, and the rates fitted, to the seconds where the curve was farthest off.
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
  // Neither way finds the least for sure: fewer knots have come nearer now and then.
  const fewer = Math.ceil(stages * 2 / 3);
  const starts: [knots: readonly number[], stages: number][] = [
    [rough.knots, stages],
    [knots, stages],
    [roughly(fewer).knots, fewer],
  ];
  const curves = starts
    .map(([knots, most]) => exchanged(profile, points, knots.map((knot) => points[knot]), most));
  return curves.reduce((best, curve) => curve.most < best.most ? curve : best).curve;
}

/** A grid for knots: a fifth of the points, and rates. */
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

/** The curve with about these knots, fitted anew where it is farthest off until it is that nowhere. */
function exchanged(
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
  // A quiet time is one stage.
  const isTurn = (_: number, i: number) =>
    !(rates[i - 1] === 0 && rates[i] === 0 && rates[i + 1] === 0);
  return { times: times.filter(isTurn), rates: rates.filter(isTurn) };
}

/** The farthest that the curve's area ever is from the requests of the log so far, in requests. */
export function farthest(profile: TrafficProfile, curve: RateCurve): number {
  return Math.max(...farthestPoints(profile, curve).map(({ distance }) => distance));
}

/** The seconds of each stage where the curve's area is farthest from the requests so far. */
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
    // What comes after the last of them is compared before it is far from that.
    compare(Math.min(seconds, start + counts.length - first));
  }
  compare(seconds);
  return far;
}

/** Requests that the curve makes before `time`. */
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
