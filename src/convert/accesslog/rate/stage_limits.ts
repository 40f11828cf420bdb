import type { Cumulative } from "./cumulative.ts";

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
