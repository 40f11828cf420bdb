import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";

/**
 * The cumulative number of requests at selected times: the log has `counts[i]` requests before
 * `times[i]`.
 */
export interface Cumulative {
  /** Times in whole seconds since the first request, ascending from 0. */
  readonly times: Float64Array;
  /** Cumulative numbers of requests, starting at 0 and never decreasing. */
  readonly counts: Float64Array;
}

/**
 * Returns the times at which to fit a curve, in seconds since the first request, ascending. Spreads
 * at most `size + 1` times evenly over the log's time span. Adds at most `2 * size` times at
 * quantiles of the requests, so that every burst has points at its start and end.
 */
export function samplePoints(profile: TrafficProfile, size: number): number[] {
  const { first, seconds } = profile.span()!;
  const even = Math.min(size, seconds);
  const points = new Set(
    Array.from({ length: even + 1 }, (_, i) => Math.round(i * seconds / even)),
  );
  let sum = 0;
  profile.forEachSecond((second, count) => {
    const before = Math.floor(sum * size / profile.requests);
    sum += count;
    if (Math.floor(sum * size / profile.requests) === before) return;
    points.add(second - first);
    points.add(second - first + 1);
  });
  return [...points].sort((a, b) => a - b);
}

/**
 * Returns the cumulative number of requests before each of `points`. The points are in seconds
 * since the first request, and must ascend from 0.
 */
export function cumulativeAt(profile: TrafficProfile, points: readonly number[]): Cumulative {
  const { first } = profile.span()!;
  const counts = new Float64Array(points.length);
  let point = 1;
  let sum = 0;
  profile.forEachSecond((second, count) => {
    while (second - first >= points[point]) counts[point++] = sum;
    sum += count;
  });
  counts.fill(sum, point);
  return { times: Float64Array.from(points), counts };
}
