import type { TrafficProfile } from "../../../traffic/accesslog/traffic_profile.ts";
import type { Cumulative } from "./rate_fit.ts";

/** Points in time that a curve is fitted to; more make it slower, not closer. */
const POINTS = 300;

/** The requests that came before each of at most 300 points in time, spread over the span evenly. */
export function cumulativeOf(profile: TrafficProfile): Cumulative {
  const { first, seconds } = profile.span()!;
  const points = Math.min(POINTS, seconds);
  const times = Float64Array.from(
    { length: points + 1 },
    (_, i) => Math.round(i * seconds / points),
  );
  const counts = new Float64Array(points + 1);
  let point = 1;
  let sum = 0;
  for (const { start, counts: requests } of profile.secondRuns()) {
    for (const [i, count] of requests.entries()) {
      while (start + i - first >= times[point]) counts[point++] = sum;
      sum += count;
    }
  }
  counts.fill(sum, point);
  return { times, counts };
}
