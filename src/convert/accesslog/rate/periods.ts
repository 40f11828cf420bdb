import { formatMs } from "../../../base/format.ts";
import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";

/** Minimum mean number of requests per period. */
const REQUESTS_PER_PERIOD = 10;

/**
 * Returns the length, in seconds, of the periods over which to compare rates. The length is a
 * multiple of one minute, and long enough for a mean of at least ten requests per period.
 */
export function chooseRatePeriod({ requests }: TrafficProfile, { seconds }: TimeSpan): number {
  return 60 * Math.max(1, Math.ceil(REQUESTS_PER_PERIOD * seconds / requests / 60));
}

/**
 * Formats a period length in seconds for use in a message, such as `minutes` or `periods of 15m`.
 */
export function periodsText(seconds: number): string {
  return seconds === 60 ? "minutes" : `periods of ${formatMs(seconds * 1_000)}`;
}

/**
 * Calls `visit` for each period that has requests, in order, with the period's zero-based index and
 * its number of requests. Period 0 starts at the first request of the span.
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
