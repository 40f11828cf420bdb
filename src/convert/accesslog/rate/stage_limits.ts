import type { TrafficProfile } from "../../../traffic/accesslog/profile/traffic_profile.ts";

/** Number of window lengths to examine for each doubling of the length. */
const LENGTHS = 4;

/**
 * Factor by which limits are relaxed, so that rounding errors do not exclude a stage that is
 * exactly at its limit.
 */
const SLACK = 1 + 1e-9;

/** Limits on each stage of a curve. They prevent peaks that the log does not have. */
export interface StageLimits {
  /** Maximum rate at the start and end of a stage, in requests per second. */
  readonly rate: number;
  /**
   * Returns the maximum number of requests in a stage of `seconds` seconds. If the log has more
   * requests than that during the stage, their number is the maximum instead.
   */
  requests(seconds: number): number;
}

/**
 * Returns limits derived from the busiest parts of a log. A stage may send at most twice as many
 * requests as the log has in its busiest window of half the stage's length. `peak` is the log's
 * peak rate in requests per second, and limits the rate at the start and end of a stage.
 */
export function stageLimits({ times, counts }: Cumulative, peak: number): StageLimits {
  const last = times.length - 1;
  // Element `i` is the maximum number of requests in a window of `2 ** (i / LENGTHS)` seconds.
  const busiest = new Float64Array(lengthClass(times[last]) + 1);
  for (let i = 0; i < busiest.length; i++) {
    const length = 2 ** (i / LENGTHS) * (1 + Number.EPSILON);
    for (let from = 0, to = 0; from < last; from++) {
      while (to < last && times[to + 1] - times[from] <= length) to++;
      busiest[i] = Math.max(busiest[i], counts[to] - counts[from]);
    }
  }
  return {
    rate: peak,
    requests: (seconds) =>
      SLACK * (seconds < 2 ? peak * seconds : 2 * busiest[lengthClass(seconds / 2)]),
  };
}

/**
 * Returns the index of the longest window length that is at most `seconds`. `seconds` must be at
 * least 1.
 */
function lengthClass(seconds: number): number {
  return Math.floor(LENGTHS * Math.log2(seconds));
}

/**
 * The cumulative number of requests at selected times: the log has `counts[i]` requests before
 * `times[i]`.
 */
export interface Cumulative {
  /** Times in seconds since the first request, ascending from 0. */
  readonly times: Float64Array;
  /** Cumulative numbers of requests, starting at 0 and never decreasing. */
  readonly counts: Float64Array;
}

/**
 * Maximum number of one-second bursts in a log for which `samplePoints` returns the middle of each
 * burst. If the log has more bursts, it returns no middles.
 */
const MOST_MIDDLES = 25;

/**
 * Returns the times at which to fit a curve, in seconds since the first request, ascending. There
 * are at most `5 * size + 1` times:
 *
 * - evenly distributed times over the log's time span
 * - the start and end of each second that contains a quantile of the requests
 * - the start and end of long idle times
 *
 * If the log has only a few one-second bursts, adds the middle of each. A curve needs this point to
 * rise from 0 and fall back to 0 within the second.
 */
export function samplePoints(profile: TrafficProfile, size: number): number[] {
  const { first, seconds } = profile.span()!;
  const even = Math.min(size, seconds);
  const points = new Set(
    Array.from({ length: even + 1 }, (_, i) => Math.round(i * seconds / even)),
  );
  // Seconds that contain a quantile of the requests and follow a second without requests. They may
  // be bursts of one second.
  const bursts = new Set<number>();
  // At most `size` idle times are longer.
  const longIdle = seconds / size;
  let sum = 0;
  let previous = -1;
  profile.forEachSecond((second, count) => {
    const time = second - first;
    const isStart = time > previous + 1 || time === 0;
    if (!isStart) bursts.delete(previous);
    else if (time - previous > longIdle) {
      points.add(previous + 1);
      points.add(time);
    }
    previous = time;
    const before = Math.floor(sum * size / profile.requests);
    sum += count;
    if (Math.floor(sum * size / profile.requests) === before) return;
    points.add(time);
    points.add(time + 1);
    if (isStart) bursts.add(time);
  });
  if (bursts.size <= MOST_MIDDLES) {
    for (const time of bursts) points.add(time + 0.5);
  }
  return [...points].sort((a, b) => a - b);
}

/**
 * Returns the cumulative number of requests before each of `points`. The points are in seconds
 * since the first request, and must ascend from 0. Assumes that the requests are evenly distributed
 * within each second.
 */
export function cumulativeAt(profile: TrafficProfile, points: readonly number[]): Cumulative {
  const { first } = profile.span()!;
  const counts = new Float64Array(points.length);
  let point = 1;
  let sum = 0;
  profile.forEachSecond((second, count) => {
    const time = second - first;
    while (time >= points[point]) counts[point++] = sum;
    while (time + 1 > points[point]) {
      counts[point] = sum + count * (points[point] - time);
      point++;
    }
    sum += count;
  });
  counts.fill(sum, point);
  return { times: Float64Array.from(points), counts };
}
