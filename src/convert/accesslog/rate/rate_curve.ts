import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";

/** Piecewise linear: requests per second at `times[i]`, in seconds. Equal times are a jump. */
export interface RateCurve {
  readonly times: readonly number[];
  readonly rates: readonly number[];
}

/** Constant rates, each with two points. The first second with requests is at time 0. */
export interface FittedCurve extends RateCurve {
  /** Most requests by which its area differs from the log's cumulative count, at any time. */
  readonly deviation: number;
}

/** A constant rate between two points of the cumulative count. */
interface Level {
  readonly from: number;
  readonly to: number;
  /** Point between them with the largest deviation, in requests. */
  readonly farthest: number;
  readonly deviation: number;
}

/** Fraction of the requests below which a deviation counts as 0. */
const LEAST_DEVIATION = 1e-9;

/**
 * Fits at most `stages` stages: constant rates, and jumps between them. Simplifies the polyline of
 * the cumulative count (Ramer–Douglas–Peucker), so the curve has the log's count at each jump, and
 * never exceeds the log's peak rate.
 */
export function fitRateCurve(profile: TrafficProfile, stages: number): FittedCurve {
  const { times, counts } = cumulativeCounts(profile);
  const rate = (from: number, to: number) =>
    (counts[to] - counts[from]) / (times[to] - times[from]);
  const level = (from: number, to: number): Level => {
    let [farthest, deviation] = [from, 0];
    const slope = rate(from, to);
    for (let i = from + 1; i < to; i++) {
      const off = Math.abs(counts[i] - counts[from] - slope * (times[i] - times[from]));
      if (off > deviation) [farthest, deviation] = [i, off];
    }
    return { from, to, farthest, deviation };
  };
  const worst = () => levels.reduce((a, b) => b.deviation > a.deviation ? b : a);
  const levels = [level(0, times.length - 1)];
  while (levels.length < Math.ceil(stages / 2)) {
    const split = worst();
    if (split.deviation <= LEAST_DEVIATION * profile.requests) break;
    const { from, farthest, to } = split;
    levels.splice(levels.indexOf(split), 1, level(from, farthest), level(farthest, to));
  }
  return {
    times: levels.flatMap(({ from, to }) => [times[from], times[to]]),
    rates: levels.flatMap(({ from, to }) => [rate(from, to), rate(from, to)]),
    deviation: worst().deviation,
  };
}

const MOST_POINTS = 100_000;

/** The log has `counts[i]` requests before `times[i]`, in seconds since the first request. */
function cumulativeCounts(profile: TrafficProfile): { times: number[]; counts: number[] } {
  const { first, seconds } = profile.span()!;
  let [times, counts]: number[][] = [[], []];
  const add = (time: number, count: number) => {
    times.push(time);
    counts.push(count);
    if (times.length < MOST_POINTS) return;
    const isKept = (_: number, i: number) => i % 2 === 0;
    [times, counts] = [times.filter(isKept), counts.filter(isKept)];
  };
  let [end, sum] = [0, 0];
  profile.forEachSecond((second, requests) => {
    const time = second - first;
    if (time > end) add(end, sum);
    add(time, sum);
    end = time + 1;
    sum += requests;
  });
  times.push(seconds);
  counts.push(sum);
  return { times, counts };
}

/** Returns the area of a curve before a time, in requests. The times must not decrease. */
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
