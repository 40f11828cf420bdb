import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";
import type { Cumulative } from "./rate_fit.ts";

/**
 * Returns the times at which a curve is fitted, in ascending seconds from the first request. Spreads at
 * most `size + 1` times evenly over the span. Adds at most `2 * size` times at quantiles of the
 * requests, so that a burst has points at its start and end.
 */
export function samplePoints(profile: TrafficProfile, size: number): number[] {
  const { first, seconds } = profile.span()!;
  const even = Math.min(size, seconds);
  const points = new Set(
    Array.from({ length: even + 1 }, (_, i) => Math.round(i * seconds / even)),
  );
  let sum = 0;
  for (const { start, counts } of profile.secondRuns()) {
    for (const [i, count] of counts.entries()) {
      const before = Math.floor(sum * size / profile.requests);
      sum += count;
      if (Math.floor(sum * size / profile.requests) === before) continue;
      points.add(start + i - first);
      points.add(start + i - first + 1);
    }
  }
  return [...points].sort((a, b) => a - b);
}

/**
 * Returns the cumulative number of requests before each of `points`, which are ascending seconds from
 * the first request, starting at 0.
 */
export function cumulativeAt(profile: TrafficProfile, points: readonly number[]): Cumulative {
  const { first } = profile.span()!;
  const counts = new Float64Array(points.length);
  let point = 1;
  let sum = 0;
  for (const { start, counts: requests } of profile.secondRuns()) {
    for (const [i, count] of requests.entries()) {
      while (start + i - first >= points[point]) counts[point++] = sum;
      sum += count;
    }
  }
  counts.fill(sum, point);
  return { times: Float64Array.from(points), counts };
}
