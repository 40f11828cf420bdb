import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";
import {
  closestCurve,
  cumulativeAt,
  curveWithin,
  type RateCurve,
  samplePoints,
  type StageLimits,
  stageLimits,
} from "./curve_within.ts";

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

/** The largest deviation of each stage, in requests. Element `i` ends at `curve.times[i]`. */
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
    // At the end of seconds with requests, before a gap.
    if (time > end) compare(end);
    compare(time);
    sum += count;
    end = time + 1;
  });
  compare(seconds);
  return largest;
}

/** Requests that the curve sends before `time`, in seconds from its start. */
export function areaUntil(curve: RateCurve, time: number): number {
  return areaReader(curve)(time);
}

/** Creates a function like `areaUntil` for times that do not decrease. */
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

/** Removes points within constant rates, and rates for 0 seconds: jumps are inside the curve. */
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

/** Rounds down to six digits, except by a rounding error, so that a plan sends no more requests. */
export function roundRate(rate: number): number {
  const rounded = Number(rate.toPrecision(6));
  if (rounded <= rate * (1 + ROUNDING)) return rounded;
  return Number((rounded - 10 ** (Math.floor(Math.log10(rate)) - 5)).toPrecision(6));
}

export interface RateError {
  /** Fraction of the curve's requests in periods where its rate is far from the log's. */
  readonly share: number;
  readonly periodSeconds: number;
}

/**
 * Counts the curve's requests in periods where the log has less than half or more than twice as
 * many. A period is a minute, or longer if counts per minute would be mostly random.
 */
export function rateError(profile: TrafficProfile, curve: RateCurve): RateError {
  const span = profile.span()!;
  const { first, seconds } = span;
  const periodSeconds = chooseRatePeriod(profile, span);
  const logged = new Map<number, number>();
  profile.forEachSecond((second, requests) => {
    const period = Math.floor((second - first) / periodSeconds);
    logged.set(period, (logged.get(period) ?? 0) + requests);
  });
  const areaAt = areaReader(curve);
  let wrong = 0;
  let before = 0;
  let end = 0;
  const advance = (time: number, requests: number) => {
    const area = areaAt(time);
    const planned = area - before;
    if (requests < planned / 2 || requests > planned * 2) wrong += planned;
    [before, end] = [area, time];
  };
  for (const [period, requests] of logged) {
    const start = period * periodSeconds;
    // Empty periods are alike.
    if (start > end) advance(start, 0);
    advance(Math.min(seconds, start + periodSeconds), requests);
  }
  return { share: wrong / before, periodSeconds };
}

const REQUESTS_PER_PERIOD = 10;

/** A multiple of a minute, with a mean of ten requests. */
function chooseRatePeriod({ requests }: TrafficProfile, { seconds }: TimeSpan): number {
  return 60 * Math.max(1, Math.ceil(REQUESTS_PER_PERIOD * seconds / requests / 60));
}
