import { type Cumulative, fitRates, type RateFit } from "./rate_fit.ts";

/** Stages that are looked into for the next knot: those with the greatest errors. */
const CANDIDATES = 5;
const ROUNDS = 4;
/** A knot is moved by these shares of its neighbouring stages, the greatest first. */
const MOVES = [0.5, 0.25, 0.1, 0.04, 0];

/**
 * A rate of at most `stages` straight pieces whose area follows the cumulative count. Knots are put in
 * one at a time, each where it helps most, and then moved for as long as that helps; the rates are
 * exact for their knots. Throws RangeError when there are fewer than two times.
 */
export function fitCurve(cumulative: Cumulative, stages: number): RateFit {
  const last = cumulative.times.length - 1;
  if (last < 1) throw new RangeError("a curve needs two points in time");
  let fit = fitRates(cumulative, [0, last]);
  while (fit.knots.length <= stages) {
    const better = withOneMore(cumulative, fit);
    if (better === undefined) break;
    fit = better;
    if (fit.knots.length % 4 === 0) fit = moved(cumulative, fit);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const better = relocated(cumulative, moved(cumulative, fit));
    if (better.error > fit.error * 0.999) return better;
    fit = better;
  }
  return fit;
}

/** Each inner knot taken out in turn, and put in where it helps more. */
function relocated(cumulative: Cumulative, fit: RateFit): RateFit {
  for (let i = 1; i < fit.knots.length - 1; i++) {
    const without = fitRates(cumulative, fit.knots.toSpliced(i, 1));
    const better = withOneMore(cumulative, without);
    if (better !== undefined && better.error < fit.error) fit = better;
  }
  return fit;
}

/** The best of a few ways to put in one knot; undefined when there is no room or no use for one. */
function withOneMore(cumulative: Cumulative, fit: RateFit): RateFit | undefined {
  const { knots } = fit;
  const stages = knots.slice(1).map((to, i) => ({ from: knots[i], to, at: i + 1 }))
    .filter(({ from, to }) => to - from > 1)
    .sort((a, b) => squares(fit, b.from, b.to) - squares(fit, a.from, a.to))
    .slice(0, CANDIDATES);
  const tries = stages.flatMap(({ from, to, at }) =>
    placesBetween(from, to).map((place) => fitRates(cumulative, knots.toSpliced(at, 0, place)))
  );
  const best = least(tries);
  return best !== undefined && best.error < fit.error ? best : undefined;
}

function placesBetween(from: number, to: number): number[] {
  const places = [0.25, 0.5, 0.75].map((share) => Math.round(from + share * (to - from)));
  return [...new Set(places)].filter((place) => place > from && place < to);
}

/** Each inner knot moved in turn to where the error is least. */
function moved(cumulative: Cumulative, fit: RateFit): RateFit {
  for (let i = 1; i < fit.knots.length - 1; i++) {
    for (const share of MOVES) {
      const better = least(
        [-1, 1].map((side) => {
          const { knots } = fit;
          const room = Math.abs(knots[i + side] - knots[i]);
          const place = knots[i] + side * Math.max(1, Math.round(room * share));
          return place === knots[i + side] ? fit : fitRates(cumulative, knots.with(i, place));
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

function squares({ residuals }: RateFit, from: number, to: number): number {
  let sum = 0;
  for (let t = from; t <= to; t++) sum += residuals[t] ** 2;
  return sum;
}
