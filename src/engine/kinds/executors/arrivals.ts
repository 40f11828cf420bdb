/**
 * Stage of a schedule. The rate changes linearly from `from` to `to`, in iterations per
 * millisecond.
 */
export interface RateStage {
  readonly durationMs: number;
  readonly from: number;
  readonly to: number;
}

/** When the iterations of an open model are due. Times are in ms after the start of the scenario. */
export interface Timetable {
  /** Number of iterations in the whole schedule. */
  readonly count: number;
  /** Duration of the schedule. */
  readonly durationMs: number;
  /**
   * Returns the due time of iteration `n` (from 0), which must be less than `count`. `n` may be
   * fractional.
   */
  dueAt(n: number): number;
  /** Returns the number of iterations due before `time`. It may be fractional. */
  areaUntil(time: number): number;
  /** Returns the position of iteration `n` in the whole recording or schedule, from 0 to 1. */
  placeOf(n: number): number;
}

// Tolerance for areas that rounding leaves just below a whole number.
const EPSILON = 1e-9;

/**
 * Schedule of an open-model scenario. Iteration `n` (from 0) is due when the area under the rate
 * curve reaches `n`. The time is computed from `n` alone, so rounding errors do not accumulate.
 *
 * ```
 * rate
 *  ^          _________
 *  |        /          \         The area under the curve from 0 to t
 *  |      /             \        is the number of iterations due by t.
 *  |____/                \
 *  +-----------------------> time
 *  0    1  2 3 4 5 6 7 8  9      iteration n, drawn at dueAt(n)
 *
 * due iteration --> free VU? --yes--> iteration --> requests, checks --> samples
 *                       |
 *                       +-----no----> dropped
 * ```
 */
export class Arrivals implements Timetable {
  /** Number of iterations in the whole schedule. */
  readonly count: number;
  /** Total duration of all stages in milliseconds. */
  readonly durationMs: number;
  readonly #stages: readonly RateStage[];
  /** Start time of each stage in milliseconds; the last element is the end of the schedule. */
  readonly #times: number[] = [0];
  /**
   * Area under the rate curve up to each time in `#times`, that is, the number of iterations due.
   */
  readonly #areas: number[] = [0];

  /** Creates a schedule from consecutive stages. */
  constructor(stages: readonly RateStage[]) {
    this.#stages = stages;
    stages.forEach(({ durationMs, from, to }, i) => {
      this.#times.push(this.#times[i] + durationMs);
      this.#areas.push(this.#areas[i] + durationMs * (from + to) / 2);
    });
    this.durationMs = this.#times[stages.length];
    this.count = wholeCount(this.#areas[stages.length]);
  }

  /**
   * Returns the due time of iteration `n` (from 0), in milliseconds after the start of the
   * scenario. `n` must be less than `count`. If `n` is fractional, returns the time at which the
   * area under the rate curve reaches `n`.
   */
  dueAt(n: number): number {
    const stage = this.#stageOf(n);
    const { durationMs, from, to } = this.#stages[stage];
    const area = Math.max(0, n - this.#areas[stage]);
    if (area === 0) return this.#times[stage];
    const slope = (to - from) / durationMs;
    // This form of the quadratic formula stays accurate if the slope is near 0.
    const root = Math.sqrt(Math.max(0, from * from + 2 * slope * area));
    return this.#times[stage] + Math.min(durationMs, 2 * area / (from + root));
  }

  placeOf(n: number): number {
    return n / this.count;
  }

  /**
   * Returns the area under the rate curve up to `time` (ms after the start of the scenario), that
   * is, the number of iterations due by then.
   */
  areaUntil(time: number): number {
    if (time < 0) return 0;
    const after = this.#times.findIndex((begin) => begin > time);
    if (after < 0) return this.#areas[this.#stages.length];
    const { durationMs, from, to } = this.#stages[after - 1];
    const passed = time - this.#times[after - 1];
    return this.#areas[after - 1] + passed * (from + (to - from) * passed / durationMs / 2);
  }

  /**
   * Returns the index of the stage in which iteration `n` is due. Skips stages without iterations
   * (area 0).
   */
  #stageOf(n: number): number {
    let low = 0;
    let high = this.#stages.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#areas[middle + 1] > n) high = middle;
      else low = middle + 1;
    }
    while (low > 0 && this.#areas[low + 1] === this.#areas[low]) low--;
    return low;
  }
}

/** Returns the number of iterations that are due when the area under the rate curve is `area`. */
export function wholeCount(area: number): number {
  return Math.ceil(area - EPSILON);
}
