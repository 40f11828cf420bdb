import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";
import {
  closestCurve,
  cumulativeAt,
  curveWithin,
  type RateCurve,
  samplePoints,
  type StageLimits,
  stageLimits,
} from "./curve_within.ts";

/** The `size` argument of `samplePoints`, which selects the times at which to fit the curve. */
const POINTS = 400;
const FITS = 4;
/**
 * Fraction of the peak rate. If a curve's highest rate is at least this fraction, the peak rate
 * probably limited the curve.
 */
const NEARLY = 0.9;
/** Rates below this fraction of the mean rate are treated as rounding errors and set to 0. */
const LEAST_SHARE = 1e-5;

/**
 * Fits a curve of at most `stages` linear stages to the rate of a log. The area under the curve
 * equals the log's number of requests, rounded down slightly, and stays close to the log's
 * cumulative count at every time. The rate never exceeds the log's peak rate. Throws RangeError if
 * `stages` is 0.
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
 * Searches for a curve with few stages, at most `stages`, whose area deviates from the log's
 * cumulative count by at most about `tolerance` requests. Returns undefined if it finds no such
 * curve. Takes about a tenth as long as `fitRateCurve`, which searches for the smallest deviation.
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

/** Limits on the stages of a curve whose rate must not exceed the peak rate of a log. */
interface PeakLimits {
  readonly peak: number;
  readonly limits: StageLimits;
  /**
   * Limits on a stage that may start or end at up to twice the peak rate; otherwise the same as
   * `limits`. `clipRate` splits such a stage into a ramp and a flat part, which follow a short
   * burst more closely.
   */
  readonly steep: StageLimits;
}

function limitsFor(profile: TrafficProfile, points: readonly number[]): PeakLimits {
  const { peak } = profile.span()!;
  const limits = stageLimits(cumulativeAt(profile, points), peak);
  return { peak, limits, steep: { ...limits, rate: 2 * peak } };
}

/**
 * Fits a curve of at most `stages` linear stages that do not exceed `limits`. Throws RangeError if
 * `stages` is 0.
 *
 * Fits the curve at `points`, in seconds since the first request. Then adds the times with the
 * largest deviations and fits again, until no deviation is much larger than those at the selected
 * times. Fits at most `FITS` times, and returns the curve with the smallest deviation.
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
    // More points rule out more curves, so the best tolerance is at most slightly lower than
    // before.
    [low, high] = [fit.tolerance * 0.98, Math.min(most, fit.tolerance * 1.5)];
  }
  if (best === undefined) throw new RangeError("cannot fit a curve without stages");
  return best.curve;
}

function scaleCurve({ times, rates: fitted }: RateCurve, total: number): RateCurve {
  const end = times[times.length - 1];
  const scale = total / areaUntil({ times, rates: fitted }, end);
  const least = LEAST_SHARE * total / end;
  const rates = fitted.map((rate) => rate * scale < least ? 0 : roundRate(rate * scale));
  const isTurn = (_: number, i: number) =>
    !(rates[i - 1] === 0 && rates[i] === 0 && rates[i + 1] === 0);
  return { times: times.filter(isTurn), rates: rates.filter(isTurn) };
}

export function maximumDeviation(profile: TrafficProfile, curve: RateCurve): number {
  return Math.max(...largestDeviations(profile, curve).map(({ requests }) => requests));
}

/**
 * Returns, for each stage, the time and the size (in requests) of the largest deviation from the
 * log's cumulative count. Element `i` is for the stage that ends at `curve.times[i]`. The deviation
 * of element 0 is 0.
 */
function largestDeviations(
  profile: TrafficProfile,
  curve: RateCurve,
): { readonly time: number; readonly requests: number }[] {
  const { first, seconds } = profile.span()!;
  const largest = curve.times.map((time) => ({ time, requests: 0 }));
  const areaAt = areaReader(curve);
  let sum = 0;
  let stage = 1;
  const compare = (time: number) => {
    while (curve.times[stage] < time) stage++;
    const requests = Math.abs(areaAt(time) - sum);
    if (requests > largest[stage].requests) largest[stage] = { time, requests };
  };
  let end = 0;
  profile.forEachSecond((second, count) => {
    const time = second - first;
    // Also compare at the end of a series of seconds with requests, before a gap.
    if (time > end) compare(end);
    compare(time);
    sum += count;
    end = time + 1;
  });
  compare(seconds);
  return largest;
}

/**
 * Returns the number of requests that the curve sends before `time`, in seconds from the curve's
 * start.
 */
export function areaUntil(curve: RateCurve, time: number): number {
  return areaReader(curve)(time);
}

/**
 * Returns a function that computes the number of requests that the curve sends before a given time,
 * in seconds from the curve's start. The times of successive calls must not decrease.
 */
export function areaReader({ times, rates }: RateCurve): (time: number) => number {
  let sum = 0;
  let stage = 1;
  return (time) => {
    for (; stage < times.length - 1 && times[stage] < time; stage++) {
      sum += (times[stage] - times[stage - 1]) * (rates[stage] + rates[stage - 1]) / 2;
    }
    const [start, end] = [times[stage - 1], times[stage]];
    const length = Math.min(time, end) - start;
    const slope = (rates[stage] - rates[stage - 1]) / (end - start);
    return sum + length * (rates[stage - 1] + slope * length / 2);
  };
}

/**
 * Limits the rate of a curve to `highest`, in requests per second, and returns the new curve. A
 * stage whose mean rate is at most `highest` still sends the same number of requests, or slightly
 * fewer. A stage that partly exceeds `highest` becomes a steeper ramp and a flat part at `highest`.
 * If the ramp has a length of 0, two points of the curve have the same time.
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
      // Use whole milliseconds, as in a plan. Round down, so that the curve sends no extra
      // requests.
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

/**
 * Returns the curve without redundant points: points within a stage of constant rate, and rates
 * that last for 0 seconds. Two points with the same time represent an immediate change of the rate,
 * which cannot occur at the start or the end of the curve.
 */
export function mergeStages({ times, rates }: RateCurve): RateCurve {
  const merged = { times: [times[0]], rates: [rates[0]] };
  const end = times[times.length - 1];
  for (let i = 1; i < times.length; i++) {
    const last = merged.times.length - 1;
    const isJump = times[i] === merged.times[last];
    // Of several points with the same time, only the first and the last one count.
    const isSecondJump = isJump && (last === 0 || times[i] === merged.times[last - 1]);
    const isFlat = last > 0 && rates[i] === merged.rates[last] &&
      rates[i] === merged.rates[last - 1];
    if (isJump && (rates[i] === merged.rates[last] || times[i] === end && last > 0)) continue;
    if (isSecondJump) merged.rates[last] = rates[i];
    else if (isFlat) merged.times[last] = times[i];
    else {
      merged.times.push(times[i]);
      merged.rates.push(rates[i]);
    }
  }
  return merged;
}

const ROUNDING = 1e-8;

/**
 * Returns a rate rounded down to six significant digits, so that a plan does not send more requests
 * than its log contains. Rounds up only if this increases the rate by no more than a floating-point
 * rounding error.
 */
export function roundRate(rate: number): number {
  const rounded = Number(rate.toPrecision(6));
  if (rounded <= rate * (1 + ROUNDING)) return rounded;
  return Number((rounded - 10 ** (Math.floor(Math.log10(rate)) - 5)).toPrecision(6));
}
