import type { Cumulative, StageLimits } from "./stage_limits.ts";

/**
 * A piecewise linear rate: `rates[i]` is the rate in requests per second at `times[i]`, in seconds
 * from the first request.
 */
export interface RateCurve {
  readonly times: readonly number[];
  readonly rates: readonly number[];
}

/**
 * A curve and its tolerance. At any time, the number of requests that the curve has sent deviates
 * from the log's cumulative count by at most `tolerance`.
 */
export interface FittedCurve {
  readonly curve: RateCurve;
  readonly tolerance: number;
}

/** The first stages of a curve. `previous` is the same curve without its last stage. */
interface PartialCurve {
  /** Index in `Cumulative.times` of the time at which the curve ends. */
  readonly at: number;
  /** Number of requests that the curve sends before its end, minus the number in the log. */
  readonly excess: number;
  /** Rate at the end of the curve, in requests per second. */
  readonly rate: number;
  /**
   * Class of the curve. Curves with a similar excess and a similar final rate have the same class.
   * Of the curves that have the same class and end at the same time, the search keeps only one.
   */
  readonly likeness: number;
  readonly previous?: PartialCurve;
}

/** Limits on the number of curves that a search tries. */
interface Effort {
  readonly startingRates: number;
  /**
   * Number of slopes to try for a stage: the smallest and the largest possible slope, and values
   * between them.
   */
  readonly slopes: number;
  /**
   * Number of buckets into which the search divides each quarter of the tolerance, and each
   * doubling of the rate. Of the partial curves whose end points are in the same bucket, it keeps
   * only one.
   */
  readonly classes: number;
  /**
   * Maximum number of partial curves to keep with the same number of stages and the same end time.
   */
  readonly perTime: number;
  /**
   * Number of partial curves to keep for each number of stages. Those that reach farthest are kept.
   */
  readonly width: number;
}

// More effort hardly reduces the deviation.
const EFFORT: Effort = { startingRates: 4, slopes: 3, classes: 1, perTime: 10, width: 100 };
/** Number of sample times below which the search uses more effort than `EFFORT`. */
const FEW_TIMES = 100;
/** Lengths to try for a stage, as fractions of the longest possible stage. */
const REACHES = [1, 0.95, 0.85, 0.7, 0.5, 0.25, 0];
/**
 * Maximum number of requests by which a curve may exceed the log's total, as a fraction of the
 * tolerance. The caller scales the curve down to remove this excess. It never scales a curve up,
 * because the rates could then exceed their limits.
 */
const TOTAL = 1 / 20;
/** Fraction of the log's requests that a curve may omit because of rounding errors. */
const ROUNDING = 1e-9;
/** Relative precision of the tolerance that `closestCurve` finds. */
const PRECISION = 0.02;
/** Fraction of the log's requests below which a tolerance counts as 0. */
const LEAST_TOLERANCE = 1e-7;

/**
 * Returns a curve of at most `stages` stages whose deviation is nearly the smallest that the search
 * can find. Bisects the tolerance of `curveWithin` between `low` and `high`, in requests. Returns
 * undefined if it finds no curve that deviates by at most `high`.
 */
export function closestCurve(
  cumulative: Cumulative,
  stages: number,
  low: number,
  high: number,
  limits: StageLimits,
): FittedCurve | undefined {
  const first = curveWithin(cumulative, stages, high, limits);
  if (first === undefined) return undefined;
  let best: FittedCurve = { curve: first, tolerance: high };
  const enough = LEAST_TOLERANCE * cumulative.counts.at(-1)!;
  while (best.tolerance > enough && best.tolerance - low > PRECISION * best.tolerance) {
    const tolerance = low === 0 ? best.tolerance / 4 : (low + best.tolerance) / 2;
    const curve = curveWithin(cumulative, stages, tolerance, limits);
    if (curve === undefined) low = tolerance;
    else best = { curve, tolerance };
  }
  return best;
}

/**
 * Searches for a curve of at most `stages` stages whose area differs from the cumulative count by
 * at most `tolerance` requests at every time. Its rate is never negative, and no stage exceeds
 * `limits`. Returns undefined if it finds no such curve. The search is not exhaustive, so such a
 * curve may still exist.
 *
 * Uses a beam search: extends partial curves by one stage at a time, and keeps those that reach
 * farthest and have dissimilar ends.
 */
export function curveWithin(
  cumulative: Cumulative,
  stages: number,
  tolerance: number,
  limits: StageLimits,
): RateCurve | undefined {
  const { times, counts } = cumulative;
  const last = times.length - 1;
  const { startingRates, slopes, classes, perTime, width } = effortFor(last);
  let partial = startingCurves(cumulative, startingRates, limits.rate);
  const low = new Float64Array(last + 1);
  const high = new Float64Array(last + 1);
  // Maximum number of requests from each time to the end.
  const mostAfter = counts.map((count, t) =>
    Math.max(counts[last] - count, t < last ? limits.requests(times[last] - times[t]) : 0)
  );
  for (let stage = 0; stage < stages && partial.length > 0; stage++) {
    const extended = new Array<PartialCurve[] | undefined>(last);
    let complete: PartialCurve | undefined;
    for (const previous of partial) {
      const { at, rate: start } = previous;
      const far = findSlopes(cumulative, previous, tolerance, limits.rate, low, high);
      for (let i = 0, tried = at; i < REACHES.length; i++) {
        const to = Math.max(at + 1, Math.round(at + (far - at) * REACHES[i]));
        if (to > far || to === tried) continue;
        tried = to;
        const length = times[to] - times[at];
        const logged = counts[to] - counts[at];
        const before = previous.excess + start * length - logged;
        let most = high[to];
        if (length * (start + most * length / 2) > logged) {
          const requests = Math.max(logged, limits.requests(length));
          most = Math.min(most, 2 * (requests - start * length) / (length * length));
          if (most < low[to]) continue;
        }
        const range = most - low[to];
        for (let j = 0; j < slopes; j++) {
          const slope = low[to] + j / (slopes - 1) * range;
          const excess = before + slope * length * length / 2;
          if (to === last) {
            if (complete !== undefined && Math.abs(excess) >= Math.abs(complete.excess)) continue;
          } else {
            const missing = counts[last] - counts[to] - excess;
            // The curve has sent more requests than the whole log contains, or cannot send the
            // rest.
            if (missing < -tolerance * TOTAL || missing > mostAfter[to]) continue;
          }
          const rate = Math.max(0, start + slope * length);
          const likeness = Math.round(4 * classes * excess / tolerance) * 1_000 +
            (rate === 0 ? 999 : Math.round(classes * Math.log2(rate)));
          if (to === last) complete = { at: to, excess, rate, likeness, previous };
          else {
            const others = extended[to] ??= [];
            if (others.length >= perTime || hasLike(others, likeness)) continue;
            others.push({ at: to, excess, rate, likeness, previous });
          }
        }
      }
    }
    if (complete !== undefined) return traceCurve(complete, times);
    partial = farthestEnds(extended, width);
  }
  return undefined;
}

function effortFor(times: number): Effort {
  if (times >= FEW_TIMES) return EFFORT;
  return {
    startingRates: 48,
    slopes: 9,
    classes: 4,
    perTime: Math.round(3_000 / times),
    width: Math.round(20_000 / times),
  };
}

/**
 * Returns curves without stages, one for each starting rate to try. The starting rates are 0, the
 * mean rate of the log, and `size` rates for each of several periods at the start of the log. The
 * rates for a period go up to twice its mean rate. Omits rates above `highest`.
 */
function startingCurves(
  { times, counts }: Cumulative,
  size: number,
  highest: number,
): PartialCurve[] {
  const rates = [0, counts[counts.length - 1] / times[times.length - 1]];
  for (let end = 1; end < times.length; end = Math.ceil(end * 1.5)) {
    for (let i = 1; i <= size; i++) rates.push(2 * i / size * counts[end] / times[end]);
  }
  return rates.filter((rate) => rate <= highest)
    .map((rate) => ({ at: 0, excess: 0, rate, likeness: 0 }));
}

/**
 * Finds the possible slopes of a stage that starts at the end of a partial curve. For each time at
 * which the stage can end, writes the range of slopes to `low` and `high`. Excludes slopes that
 * lead to a rate above `highest`, in requests per second. Returns the index of the last such time,
 * or the curve's `at` if the stage cannot end at any time.
 */
function findSlopes(
  { times, counts }: Cumulative,
  { at, excess, rate }: PartialCurve,
  tolerance: number,
  highest: number,
  low: Float64Array,
  high: Float64Array,
): number {
  const last = times.length - 1;
  const start = counts[at] + excess;
  const above = highest - rate;
  let least = -Infinity;
  let most = Infinity;
  for (let t = at + 1; t <= last; t++) {
    const x = times[t] - times[at];
    const inverse = 1 / x;
    const factor = 2 * inverse * inverse;
    const rest = counts[t] - start - rate * x;
    const missing = t < last ? tolerance : ROUNDING * counts[last];
    const surplus = t < last ? tolerance : tolerance * TOTAL;
    least = Math.max(least, (rest - missing) * factor, -rate * inverse);
    most = Math.min(most, (rest + surplus) * factor, above * inverse);
    if (least > most) return t - 1;
    low[t] = least;
    high[t] = most;
  }
  return last;
}

function hasLike(curves: readonly PartialCurve[], likeness: number): boolean {
  for (const curve of curves) if (curve.likeness === likeness) return true;
  return false;
}

function farthestEnds(
  extended: readonly (readonly PartialCurve[] | undefined)[],
  width: number,
): PartialCurve[] {
  const ends: PartialCurve[] = [];
  for (let t = extended.length - 1; t > 0 && ends.length < width; t--) {
    const curves = extended[t];
    if (curves !== undefined) ends.push(...curves);
  }
  return ends;
}

function traceCurve(end: PartialCurve, times: Float64Array): RateCurve {
  const ends: PartialCurve[] = [];
  for (let curve: PartialCurve | undefined = end; curve; curve = curve.previous) ends.push(curve);
  ends.reverse();
  return { times: ends.map(({ at }) => times[at]), rates: ends.map(({ rate }) => rate) };
}
