import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";
import type { RateCurve } from "./curve_within.ts";
import { chooseRatePeriod, forEachPeriod } from "./periods.ts";
import { areaReader } from "./rate_curve.ts";

/** Measure of how many of a curve's requests are sent at a rate far from the log's rate. */
export interface RateError {
  /**
   * Fraction of the curve's requests, from 0 to 1, that are in periods where the curve's rate is
   * far from the log's rate.
   */
  readonly share: number;
  /** Length of the periods over which the rates are compared, in seconds. */
  readonly periodSeconds: number;
}

/**
 * Compares a curve with the log, period by period. Returns the fraction of the curve's requests in
 * periods where the log has less than half or more than twice as many requests as the curve. A
 * period is one minute, or longer if the log has so few requests that counts per minute would be
 * mostly random.
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
    // Treat consecutive empty periods as one, because the log has no requests in any of them.
    if (start > end) advance(start, 0);
    advance(Math.min(span.seconds, start + periodSeconds), requests);
  });
  return { share: wrong / before, periodSeconds };
}
