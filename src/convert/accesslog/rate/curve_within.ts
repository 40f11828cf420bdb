import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";

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

interface PartialCurve {
  /** Index in `Cumulative.times` of the time at which the curve ends. */
  readonly at: number;
  readonly excess: number;
  readonly rate: number;
  /**
   * Class of the curve. Curves with a similar excess and a similar final rate have the same class.
   * Of the curves that have the same class and end at the same time, the search keeps only one.
   */
  readonly likeness: number;
  readonly previous?: PartialCurve;
}

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
const REACHES = [1, 0.95, 0.85, 0.7, 0.5, 0.25, 0];
/**
 * Maximum number of requests by which a curve may exceed the log's total, as a fraction of the
 * tolerance. The caller scales the curve down to remove this excess. It never scales a curve up,
 * because the rates could then exceed their limits.
 */
const TOTAL = 1 / 20;
/** Fraction of the log's requests that a curve may omit because of rounding errors. */
const ROUNDING = 1e-9;
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

const LENGTHS = 4;

/**
 * Factor by which limits are relaxed, so that rounding errors do not exclude a stage that is
 * exactly at its limit.
 */
const SLACK = 1 + 1e-9;

/** Limits on each stage of a curve. They prevent peaks that the log does not have. */
export interface StageLimits {
  readonly rate: number;
  /**
   * Returns the maximum number of requests in a stage of `seconds` seconds. If the log has more
   * requests than that during the stage, their number is the maximum instead.
   */
  requests(seconds: number): number;
}

/**
 * Returns limits derived from the busiest parts of a log. A stage may send at most twice as many
 * requests as the log has in its busiest window of half the stage's length. `peak` is the log's
 * peak rate in requests per second, and limits the rate at the start and end of a stage.
 */
export function stageLimits({ times, counts }: Cumulative, peak: number): StageLimits {
  const last = times.length - 1;
  // Element `i` is the maximum number of requests in a window of `2 ** (i / LENGTHS)` seconds.
  const busiest = new Float64Array(lengthClass(times[last]) + 1);
  for (let i = 0; i < busiest.length; i++) {
    const length = 2 ** (i / LENGTHS) * (1 + Number.EPSILON);
    for (let from = 0, to = 0; from < last; from++) {
      while (to < last && times[to + 1] - times[from] <= length) to++;
      busiest[i] = Math.max(busiest[i], counts[to] - counts[from]);
    }
  }
  return {
    rate: peak,
    requests: (seconds) =>
      SLACK * (seconds < 2 ? peak * seconds : 2 * busiest[lengthClass(seconds / 2)]),
  };
}

/**
 * Returns the index of the longest window length that is at most `seconds`. `seconds` must be at
 * least 1.
 */
function lengthClass(seconds: number): number {
  return Math.floor(LENGTHS * Math.log2(seconds));
}

/**
 * The cumulative number of requests at selected times: the log has `counts[i]` requests before
 * `times[i]`.
 */
export interface Cumulative {
  /** Times in seconds since the first request, ascending from 0. */
  readonly times: Float64Array;
  readonly counts: Float64Array;
}

/**
 * Maximum number of one-second bursts in a log for which `samplePoints` returns the middle of each
 * burst. If the log has more bursts, it returns no middles.
 */
const MOST_MIDDLES = 25;

/**
 * Returns the times at which to fit a curve, in seconds since the first request, ascending. There
 * are at most `5 * size + 1` times:
 *
 * - evenly distributed times over the log's time span
 * - the start and end of each second that contains a quantile of the requests
 * - the start and end of long idle times
 *
 * If the log has only a few one-second bursts, adds the middle of each. A curve needs this point to
 * rise from 0 and fall back to 0 within the second.
 */
export function samplePoints(profile: TrafficProfile, size: number): number[] {
  const { first, seconds } = profile.span()!;
  const even = Math.min(size, seconds);
  const points = new Set(
    Array.from({ length: even + 1 }, (_, i) => Math.round(i * seconds / even)),
  );
  // Seconds that contain a quantile of the requests and follow a second without requests. They may
  // be bursts of one second.
  const bursts = new Set<number>();
  // At most `size` idle times are longer.
  const longIdle = seconds / size;
  let sum = 0;
  let previous = -1;
  profile.forEachSecond((second, count) => {
    const time = second - first;
    const isStart = time > previous + 1 || time === 0;
    if (!isStart) bursts.delete(previous);
    else if (time - previous > longIdle) {
      points.add(previous + 1);
      points.add(time);
    }
    previous = time;
    const before = Math.floor(sum * size / profile.requests);
    sum += count;
    if (Math.floor(sum * size / profile.requests) === before) return;
    points.add(time);
    points.add(time + 1);
    if (isStart) bursts.add(time);
  });
  if (bursts.size <= MOST_MIDDLES) {
    for (const time of bursts) points.add(time + 0.5);
  }
  return [...points].sort((a, b) => a - b);
}

/**
 * Returns the cumulative number of requests before each of `points`. The points are in seconds
 * since the first request, and must ascend from 0. Assumes that the requests are evenly distributed
 * within each second.
 */
export function cumulativeAt(profile: TrafficProfile, points: readonly number[]): Cumulative {
  const { first } = profile.span()!;
  const counts = new Float64Array(points.length);
  let point = 1;
  let sum = 0;
  profile.forEachSecond((second, count) => {
    const time = second - first;
    while (time >= points[point]) counts[point++] = sum;
    while (time + 1 > points[point]) {
      counts[point] = sum + count * (points[point] - time);
      point++;
    }
    sum += count;
  });
  counts.fill(sum, point);
  return { times: Float64Array.from(points), counts };
}
