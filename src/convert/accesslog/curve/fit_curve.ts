import { type Cumulative, type RateFit, RateFitter } from "./rate_fit.ts";

/** Number of stages in which `withOneMore` tries a new knot: those with the largest squared errors. */
const CANDIDATES = 5;
/**
 * Limits of `polished`: maximum rounds, consecutive rounds without improvement, and reweightings per
 * round.
 */
const ROUNDS = 12;
const FRUITLESS_ROUNDS = 3;
const REWEIGHTINGS = 6;
/** Distances by which a knot is moved, as fractions of the adjacent stage. 0 moves it by one point. */
const MOVES = [0.5, 0.25, 0.1, 0.04, 0];

/** A fitted rate, and its maximum deviation from the cumulative count. */
export interface CurveFit extends RateFit {
  readonly farthest: number;
}

/**
 * Fits a piecewise linear rate with at most `stages` pieces. Minimizes the weighted squared error
 * between the area under the rate and the cumulative count. Adds knots one at a time where they reduce
 * the error most, then moves them while the error decreases. Throws RangeError if there are fewer than
 * two times.
 */
export function fitCurve(cumulative: Cumulative, stages: number): CurveFit {
  const last = cumulative.times.length - 1;
  if (last < 1) throw new RangeError("cannot fit a curve: it needs at least two points in time");
  const fitter = new RateFitter(cumulative, pinEnd(new Float64Array(last + 1).fill(1)));
  const fit = relocateKnots(fitter, addKnots(fitter, fitter.fit([0, last]), stages));
  return { ...fit, farthest: fitter.farthest(fit) };
}

/**
 * Refits a curve to minimize its maximum deviation instead of its squared error. Starts from `knots` and
 * uses at most `stages` pieces. Repeatedly raises the weights of large deviations (Lawson's algorithm)
 * and moves knots while the maximum deviation decreases.
 */
export function polished(
  cumulative: Cumulative,
  knots: readonly number[],
  stages: number,
): CurveFit {
  let weights = pinEnd(new Float64Array(cumulative.times.length).fill(1));
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
    fit = moveKnots(fitter, addKnots(fitter, fit, stages));
    fruitless = best.farthest < before * 0.99 ? 0 : fruitless + 1;
  }
  return best;
}

/**
 * Returns new weights, raised where the distance is large. `most` is the largest distance. Every weight
 * stays above a minimum, and the sum of the weights stays about the same.
 */
function reweighted(weights: Float64Array, distances: Float64Array, most: number): Float64Array {
  const raised = weights.map((weight, t) => weight * (0.1 + distances[t] / most));
  raised[raised.length - 1] = 0;
  const sum = raised.reduce((total, weight) => total + weight, 0);
  return pinEnd(raised.map((weight) => Math.max(1e-3, weight * weights.length / sum)));
}

/**
 * Sets a very large last weight, so that the total area equals the total count. Changes and returns
 * `weights`.
 */
function pinEnd(weights: Float64Array): Float64Array {
  weights[weights.length - 1] = 1e4 * weights.length;
  return weights;
}

/** Adds knots until the fit has `stages` pieces or no further knot reduces the error. */
function addKnots(fitter: RateFitter, fit: RateFit, stages: number): RateFit {
  while (fit.knots.length <= stages) {
    const better = withOneMore(fitter, fit);
    if (better === undefined) break;
    fit = better;
    if (fit.knots.length % 4 === 0) fit = moveKnots(fitter, fit);
  }
  return fit;
}

/** Removes each inner knot in turn and adds one elsewhere. Keeps the change if it reduces the error. */
function relocateKnots(fitter: RateFitter, fit: RateFit): RateFit {
  for (let i = 1; i < fit.knots.length - 1; i++) {
    const without = fitter.fit(fit.knots.toSpliced(i, 1));
    const better = withOneMore(fitter, without);
    if (better !== undefined && better.error < fit.error) fit = better;
  }
  return fit;
}

/**
 * Returns the fit with one more knot that has the smallest error among a few candidates. Returns
 * undefined if no candidate reduces the error or there is no room for a knot.
 */
function withOneMore(fitter: RateFitter, fit: RateFit): RateFit | undefined {
  const { knots } = fit;
  const squares = fitter.squares(fit);
  const stages = knots.slice(1).map((to, i) => ({ from: knots[i], to, at: i + 1 }))
    .filter(({ from, to }) => to - from > 1)
    .sort((a, b) => squares[b.at - 1] - squares[a.at - 1])
    .slice(0, CANDIDATES);
  const tries = stages.flatMap(({ from, to, at }) =>
    timesBetween(from, to).map((place) => fitter.fit(knots.toSpliced(at, 0, place)))
  );
  const best = least(tries);
  return best !== undefined && best.error < fit.error ? best : undefined;
}

function timesBetween(from: number, to: number): number[] {
  const places = [0.25, 0.5, 0.75].map((share) => Math.round(from + share * (to - from)));
  return [...new Set(places)].filter((place) => place > from && place < to);
}

/** Moves each inner knot in turn to the tried position with the smallest error. */
function moveKnots(fitter: RateFitter, fit: RateFit): RateFit {
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
