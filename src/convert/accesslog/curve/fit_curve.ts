import { type Cumulative, type RateFit, RateFitter } from "./rate_fit.ts";

/** Stages that are looked into for the next knot: those with the greatest errors. */
const CANDIDATES = 5;
/** How often knots are moved, as long as that helps, and weights set anew before each time. */
const ROUNDS = 12;
const FRUITLESS_ROUNDS = 3;
const REWEIGHTINGS = 6;
/** A knot is moved by these shares of its neighbouring stages, the greatest first. */
const MOVES = [0.5, 0.25, 0.1, 0.04, 0];

/** A fit, and the farthest that its area is from the count at any of the times. */
export interface CurveFit extends RateFit {
  readonly farthest: number;
}

/**
 * A rate of at most `stages` straight pieces whose area has a small squared distance to the cumulative
 * count: knots are put in one at a time, each where it helps most, and moved for as long as that helps.
 * Throws RangeError when there are fewer than two times.
 */
export function fitCurve(cumulative: Cumulative, stages: number): CurveFit {
  const last = cumulative.times.length - 1;
  if (last < 1) throw new RangeError("a curve needs two points in time");
  const fitter = new RateFitter(cumulative, ended(new Float64Array(last + 1).fill(1)));
  const fit = relocated(fitter, filled(fitter, fitter.fit([0, last]), stages));
  return { ...fit, farthest: fitter.farthest(fit) };
}

/**
 * A rate with as many knots, and about at the same places, whose area is never far from the count:
 * squares get more weight where the area is far off, over and over, which leads to the least maximum
 * (Lawson), and knots are moved for as long as that helps.
 */
export function polished(
  cumulative: Cumulative,
  knots: readonly number[],
  stages: number,
): CurveFit {
  let weights = ended(new Float64Array(cumulative.times.length).fill(1));
  let fitter = new RateFitter(cumulative, weights);
  let fit = fitter.fit(knots);
  let best: CurveFit = { ...fit, farthest: fitter.farthest(fit) };
  for (let round = 0, fruitless = 0; round < ROUNDS && fruitless < FRUITLESS_ROUNDS; round++) {
    const before = best.farthest;
    for (let i = 0; i < REWEIGHTINGS; i++) {
      const farthest = fitter.farthest(fit);
      if (farthest < best.farthest) best = { ...fit, farthest };
      if (farthest === 0) return best;
      weights = reweighted(weights, fitter.residuals(fit).map(Math.abs), farthest);
      fitter = new RateFitter(cumulative, weights);
      fit = fitter.fit(fit.knots);
    }
    fit = moved(fitter, filled(fitter, fit, stages));
    fruitless = best.farthest < before * 0.99 ? 0 : fruitless + 1;
  }
  return best;
}

/** More weight where the distance is great, a little everywhere, the same in all. */
function reweighted(weights: Float64Array, distances: Float64Array, most: number): Float64Array {
  const raised = weights.map((weight, t) => weight * (0.1 + distances[t] / most));
  raised[raised.length - 1] = 0;
  const sum = raised.reduce((total, weight) => total + weight, 0);
  return ended(raised.map((weight) => Math.max(1e-3, weight * weights.length / sum)));
}

/** The same weights, but so much at the end that the whole area is the whole count. */
function ended(weights: Float64Array): Float64Array {
  weights[weights.length - 1] = 1e4 * weights.length;
  return weights;
}

/** Knots put in until there are enough. */
function filled(fitter: RateFitter, fit: RateFit, stages: number): RateFit {
  while (fit.knots.length <= stages) {
    const better = withOneMore(fitter, fit);
    if (better === undefined) break;
    fit = better;
    if (fit.knots.length % 4 === 0) fit = moved(fitter, fit);
  }
  return fit;
}

/** Each inner knot taken out in turn, and put in where it helps more. */
function relocated(fitter: RateFitter, fit: RateFit): RateFit {
  for (let i = 1; i < fit.knots.length - 1; i++) {
    const without = fitter.fit(fit.knots.toSpliced(i, 1));
    const better = withOneMore(fitter, without);
    if (better !== undefined && better.error < fit.error) fit = better;
  }
  return fit;
}

/** The best of a few ways to put in one knot; undefined when there is no room or no use for one. */
function withOneMore(fitter: RateFitter, fit: RateFit): RateFit | undefined {
  const { knots } = fit;
  const squares = fitter.squares(fit);
  const stages = knots.slice(1).map((to, i) => ({ from: knots[i], to, at: i + 1 }))
    .filter(({ from, to }) => to - from > 1)
    .sort((a, b) => squares[b.at - 1] - squares[a.at - 1])
    .slice(0, CANDIDATES);
  const tries = stages.flatMap(({ from, to, at }) =>
    placesBetween(from, to).map((place) => fitter.fit(knots.toSpliced(at, 0, place)))
  );
  const best = least(tries);
  return best !== undefined && best.error < fit.error ? best : undefined;
}

function placesBetween(from: number, to: number): number[] {
  const places = [0.25, 0.5, 0.75].map((share) => Math.round(from + share * (to - from)));
  return [...new Set(places)].filter((place) => place > from && place < to);
}

/** Each inner knot moved in turn to where the error is least. */
function moved(fitter: RateFitter, fit: RateFit): RateFit {
  for (let i = 1; i < fit.knots.length - 1; i++) {
    for (const share of MOVES) {
      const better = least(
        [-1, 1].map((side) => {
          const { knots } = fit;
          const room = Math.abs(knots[i + side] - knots[i]);
          const place = knots[i] + side * Math.max(1, Math.round(room * share));
          return place === knots[i + side] ? fit : fitter.fit(knots.with(i, place));
        }),
      )!;
      if (better.error < fit.error) fit = better;
    }
  }
  return fit;
}

function least(fits: readonly RateFit[]): RateFit | undefined {
  return fits.reduce<RateFit | undefined>(
    (best, fit) => best === undefined || fit.error < best.error ? fit : best,
    undefined,
  );
}
