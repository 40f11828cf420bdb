import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";
import type { RateCurve } from "./curve_within.ts";
import { areaReader } from "./rate_curve.ts";

/** Minimum mean number of requests in a period. */
const REQUESTS_PER_PERIOD = 10;

/** How much of a curve's load is sent at a rate far from the log's rate. */
export interface RateError {
  /**
   * Fraction of the curve's requests sent in periods with a rate far from the log's rate, from 0 to 1.
   */
  readonly share: number;
  /** Length of the periods in which the rates are compared, in seconds. */
  readonly periodSeconds: number;
}

/**
 * Compares a curve with the log, period by period. Returns the fraction of the curve's requests in
 * periods where the log has less than half or more than twice the curve's requests. A period is one
 * minute, or longer if requests are so rare that their number per minute is random.
 */
export function rateError(profile: TrafficProfile, curve: RateCurve): RateError {
  const span = profile.span()!;
  const periodSeconds = chooseRatePeriod(profile, span);
  const areaAt = areaReader(curve);
  let wrong = 0;
  let before = 0;
  let end = 0;
  const advance = (time: number, logged: number) => {
    const area = areaAt(time);
    const planned = area - before;
    if (logged < planned / 2 || logged > planned * 2) wrong += planned;
    [before, end] = [area, time];
  };
  forEachPeriod(profile, span, periodSeconds, (period, requests) => {
    const start = period * periodSeconds;
    // Consecutive empty periods are one step, because the log has no requests in any of them.
    if (start > end) advance(start, 0);
    advance(Math.min(span.seconds, start + periodSeconds), requests);
  });
  return { share: wrong / before, periodSeconds };
}

/**
 * Returns the length in seconds of the periods in which to compare rates. It is a multiple of one
 * minute, and long enough for a mean of ten requests per period.
 */
export function chooseRatePeriod({ requests }: TrafficProfile, { seconds }: TimeSpan): number {
  return 60 * Math.max(1, Math.ceil(REQUESTS_PER_PERIOD * seconds / requests / 60));
}

/**
 * Calls `visit` with the index (from 0) and the number of requests of each period that has requests, in
 * order. Period 0 starts at the first request of the span.
 */
export function forEachPeriod(
  profile: TrafficProfile,
  { first }: TimeSpan,
  periodSeconds: number,
  visit: (period: number, requests: number) => void,
): void {
  let current = 0;
  let inPeriod = 0;
  profile.forEachSecond((second, requests) => {
    const period = Math.floor((second - first) / periodSeconds);
    if (period !== current) {
      visit(current, inPeriod);
      [current, inPeriod] = [period, 0];
    }
    inPeriod += requests;
  });
  visit(current, inPeriod);
}
