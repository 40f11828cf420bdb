import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";

/** Piecewise linear: requests per second at `times[i]`, in seconds from the first request. */
export interface RateCurve {
  readonly times: readonly number[];
  readonly rates: readonly number[];
}

export function maximumDeviation(profile: TrafficProfile, curve: RateCurve): number {
  return Math.max(...largestDeviations(profile, curve).map(({ requests }) => requests));
}

/** The largest deviation of each stage, in requests. Element `i` ends at `curve.times[i]`. */
export function largestDeviations(
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

/**
 * Creates a function that returns the requests that the curve sends before a time, in seconds from
 * its start. The times must not decrease.
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
