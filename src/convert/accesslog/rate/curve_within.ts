import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";
import {
  areaReader,
  largestDeviations,
  maximumDeviation,
  mergeStages,
  type RateCurve,
  roundRate,
} from "./rate_curve.ts";

/** Selects the times at which to fit the curve. */
const POINTS = 400;
const FITS = 4;
/** From this fraction of the peak rate, the peak probably limited the curve. */
const NEARLY = 0.9;
/** Rates below this fraction of the mean are rounding errors. */
const LEAST_SHARE = 1e-5;

/**
 * Fits at most `stages` linear stages below the log's peak rate. The area is the log's number of
 * requests, and stays close to its cumulative count. Throws RangeError for 0 stages.
 */
export function fitRateCurve(profile: TrafficProfile, stages: number): RateCurve {
  const points = samplePoints(profile, POINTS);
  const { peak, limits, steep } = limitsFor(profile, points);
  const fit = (limits: StageLimits) => clipRate(fitWithin(profile, points, stages, limits), peak);
  const curve = fit(limits);
  if (Math.max(...curve.rates) < peak * NEARLY) return curve;
  const steeper = fit(steep);
  const isCloser = steeper.times.length - 1 <= stages &&
    maximumDeviation(profile, steeper) < maximumDeviation(profile, curve);
  return isCloser ? steeper : curve;
}

/**
 * Searches for few stages within about `tolerance` requests, in a tenth of `fitRateCurve`'s time.
 */
export function findRateCurve(
  profile: TrafficProfile,
  stages: number,
  tolerance: number,
): RateCurve | undefined {
  const points = samplePoints(profile, 2 * POINTS);
  const cumulative = cumulativeAt(profile, points);
  const { peak, limits, steep } = limitsFor(profile, points);
  for (const limit of [limits, steep]) {
    const found = curveWithin(cumulative, stages, tolerance, limit);
    const curve = found && clipRate(scaleCurve(found, profile.requests), peak);
    if (curve !== undefined && curve.times.length - 1 <= stages) return curve;
  }
  return undefined;
}

interface PeakLimits {
  readonly peak: number;
  readonly limits: StageLimits;
  /** Up to twice the peak rate: `clipRate` makes a ramp and a flat part, as of a short burst. */
  readonly steep: StageLimits;
}

function limitsFor(profile: TrafficProfile, points: readonly number[]): PeakLimits {
  const { peak } = profile.span()!;
  const limits = stageLimits(cumulativeAt(profile, points), peak);
  return { peak, limits, steep: { ...limits, rate: 2 * peak } };
}

/**
 * Fits the curve at `points`, adds the times with the largest deviations, and fits again, until
 * these are not much larger, at most `FITS` times. Throws RangeError for 0 stages.
 */
function fitWithin(
  profile: TrafficProfile,
  points: readonly number[],
  stages: number,
  limits: StageLimits,
): RateCurve {
  let best: { readonly curve: RateCurve; readonly most: number } | undefined;
  let [low, high] = [0, profile.requests];
  for (let i = 0; i < FITS; i++) {
    const fit = closestCurve(cumulativeAt(profile, points), stages, low, high, limits);
    if (fit === undefined) break;
    const curve = scaleCurve(fit.curve, profile.requests);
    const deviations = largestDeviations(profile, curve);
    const most = Math.max(...deviations.map(({ requests }) => requests));
    if (best === undefined || most < best.most) best = { curve, most };
    const missed = deviations.filter(({ requests }) => requests > fit.tolerance * 1.02);
    if (missed.length === 0) break;
    points = [...new Set([...points, ...missed.map(({ time }) => time)])].sort((a, b) => a - b);
    // More points rule out more curves, so the best tolerance is at most slightly lower.
    [low, high] = [fit.tolerance * 0.98, Math.min(most, fit.tolerance * 1.5)];
  }
  if (best === undefined) throw new RangeError("cannot fit a curve without stages");
  return best.curve;
}

function scaleCurve({ times, rates: fitted }: RateCurve, total: number): RateCurve {
  const end = times[times.length - 1];
  const scale = total / areaReader({ times, rates: fitted })(end);
  const least = LEAST_SHARE * total / end;
  const rates = fitted.map((rate) => rate * scale < least ? 0 : roundRate(rate * scale));
  const isTurn = (_: number, i: number) =>
    !(rates[i - 1] === 0 && rates[i] === 0 && rates[i + 1] === 0);
  return { times: times.filter(isTurn), rates: rates.filter(isTurn) };
}

/**
 * Limits the rate to `highest`. A stage that partly exceeds it becomes a steeper ramp and a flat
 * part, and sends the same number of requests, or slightly fewer. A ramp may have a length of 0.
 */
export function clipRate({ times, rates }: RateCurve, highest: number): RateCurve {
  const clipped = { times: [times[0]], rates: [Math.min(highest, rates[0])] };
  const add = (time: number, rate: number) => {
    clipped.times.push(time);
    clipped.rates.push(Math.min(highest, rate));
  };
  for (let i = 1; i < times.length; i++) {
    const [start, end, from, to] = [times[i - 1], times[i], rates[i - 1], rates[i]];
    const over = Math.max(from, to) - highest;
    const room = highest - Math.min(from, to);
    if (over > 0 && room > 0) {
      // Whole milliseconds, as in a plan, rounded down, so that it sends no extra requests.
      const flat = Math.floor((end - start) * Math.min(1, over / room) * 1_000) / 1_000;
      if (end - start - flat < 0.001_5) {
        const mean = (from + to) / 2;
        add(start, mean);
        add(end, mean);
      } else add(from > to ? start + flat : end - flat, highest);
    }
    add(end, to);
  }
  return mergeStages(clipped);
}

/** At any time, its number of requests deviates from the log's by at most `tolerance`. */
interface FittedCurve {
  readonly curve: RateCurve;
  readonly tolerance: number;
}

interface PartialCurve {
  /** Index in `Cumulative.times`. */
  readonly at: number;
  readonly excess: number;
  readonly rate: number;
  /** Equal for curves of a similar excess and final rate, of which the search keeps one. */
  readonly likeness: number;
  readonly previous?: PartialCurve;
}

interface Effort {
  readonly startingRates: number;
  /** Slopes to try for a stage: the smallest, the largest, and values between. */
  readonly slopes: number;
  /** Buckets for each quarter of the tolerance, and for each doubling of the rate. */
  readonly classes: number;
  readonly perTime: number;
  /** Partial curves to keep for each number of stages: those that reach farthest. */
  readonly width: number;
}

// More effort hardly reduces the deviation.
const EFFORT: Effort = { startingRates: 4, slopes: 3, classes: 1, perTime: 10, width: 100 };
/** With fewer sample times, the search uses more effort. */
const FEW_TIMES = 100;
const REACHES = [1, 0.95, 0.85, 0.7, 0.5, 0.25, 0];
/**
 * Fraction of the tolerance by which a curve may exceed the log's total. The caller scales it down;
 * up, the rates could exceed their limits.
 */
const TOTAL = 1 / 20;
/** Fraction of the requests that a curve may omit. */
const ROUNDING = 1e-9;
const PRECISION = 0.02;
/** Fraction of the requests below which a tolerance counts as 0. */
const LEAST_TOLERANCE = 1e-7;

/** Bisects the tolerance of `curveWithin`, in requests. Undefined if `high` is not enough. */
function closestCurve(
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
 * Searches for a curve whose area differs from the cumulative count by at most `tolerance` requests
 * at every time. A beam search: extends curves by one stage, and keeps those that reach farthest
 * and end differently. It may miss a curve.
 */
function curveWithin(
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
            // It has sent more than the whole log, or cannot send the rest.
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

/** Tries 0, the mean rate, and up to twice the mean of several first periods of the log. */
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
 * Writes the possible slopes of a stage for each time at which it can end to `low` and `high`.
 * Returns the index of the last such time, or `at`.
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

/** Rounding errors must not exclude a stage that is exactly at its limit. */
const SLACK = 1 + 1e-9;

/** Limits on each stage of a curve. They prevent peaks that the log does not have. */
interface StageLimits {
  readonly rate: number;
  /** Most requests in a stage of `seconds`, unless the log has more in it. */
  requests(seconds: number): number;
}

/**
 * A stage may send at most twice as many requests as the log has in its busiest window of half the
 * stage's length. `peak` is the log's peak rate in requests per second.
 */
function stageLimits({ times, counts }: Cumulative, peak: number): StageLimits {
  const last = times.length - 1;
  // By windows of `2 ** (i / LENGTHS)` seconds.
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

/** Index of the longest window of at most `seconds`, which must be at least 1. */
function lengthClass(seconds: number): number {
  return Math.floor(LENGTHS * Math.log2(seconds));
}

/** The log has `counts[i]` requests before `times[i]`. */
interface Cumulative {
  /** Seconds since the first request, ascending from 0. */
  readonly times: Float64Array;
  readonly counts: Float64Array;
}

/** With more bursts, their middles are not points. */
const MOST_MIDDLES = 25;

/**
 * Returns at most `5 * size + 1` times at which to fit a curve, in seconds since the first request:
 * even ones, seconds that contain a quantile of the requests, the ends of long idle times, and the
 * middle of a few bursts, so that a curve can rise and fall within a second.
 */
function samplePoints(profile: TrafficProfile, size: number): number[] {
  const { first, seconds } = profile.span()!;
  const even = Math.min(size, seconds);
  const points = new Set(
    Array.from({ length: even + 1 }, (_, i) => Math.round(i * seconds / even)),
  );
  // With a quantile after a second without requests: perhaps bursts of one second.
  const bursts = new Set<number>();
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

/** The points must ascend from 0. Assumes an even distribution within each second. */
function cumulativeAt(profile: TrafficProfile, points: readonly number[]): Cumulative {
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
