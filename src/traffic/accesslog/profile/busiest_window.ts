import type { TrafficProfile } from "./traffic_profile.ts";

/** A time range in a log, and its number of requests. */
export interface TimeWindow {
  /** First second of the range, in Unix seconds. */
  readonly from: number;
  /** Unix second after the last second of the range. */
  readonly to: number;
  /** Number of requests in the range. */
  readonly requests: number;
}

/**
 * Returns the range of `seconds` seconds with the most requests. If several ranges have the same
 * number of requests, returns the first one. Returns undefined if the profile has no requests.
 */
export function busiestWindow(
  profile: Pick<TrafficProfile, "forEachSecond">,
  seconds: number,
): TimeWindow | undefined {
  const counts: [second: number, requests: number][] = [];
  profile.forEachSecond((second, requests) => void counts.push([second, requests]));
  let best: TimeWindow | undefined;
  let requests = 0;
  let oldest = 0;
  for (const [second, count] of counts) {
    requests += count;
    while (counts[oldest][0] <= second - seconds) requests -= counts[oldest++][1];
    if (best === undefined || requests > best.requests) {
      const from = counts[oldest][0];
      best = { from, to: from + seconds, requests };
    }
  }
  return best;
}
