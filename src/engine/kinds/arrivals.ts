import { random } from "../../base/random.ts";
import type { Place } from "../vu/vu.ts";

/**
 * Stage of a schedule. The rate changes linearly from `from` to `to`, in iterations per
 * millisecond.
 */
export interface RateStage {
  readonly durationMs: number;
  readonly from: number;
  readonly to: number;
}

/**
 * When the iterations of an open model are due. Times are in ms after the start of the scenario.
 */
export interface Timetable {
  /** Number of iterations in the whole schedule. */
  readonly count: number;
  readonly durationMs: number;
  /**
   * Returns the due time of iteration `n` (from 0), which must be less than `count`. `n` may be
   * fractional.
   */
  dueAt(n: number): number;
  /** Returns the number of iterations due before `time`. It may be fractional. */
  areaUntil(time: number): number;
  /** Returns the place of iteration `n` in the whole recording or schedule. */
  placeOf(n: number): Place;
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

  placeOf(n: number): Place {
    return { index: n, of: this.count };
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

/** Part of a schedule in which the planned rate is multiplied by a constant factor. */
interface Segment {
  /** Start of the segment, in milliseconds after the start of the scenario. */
  readonly from: number;
  /**
   * Area under the curve of the planned rate up to `from`, that is, the number of iterations
   * planned until then.
   */
  readonly area: number;
  /** Number of iterations due before the segment starts. It can be fractional. */
  readonly due: number;
  readonly factor: number;
}

/** A schedule whose rate can be changed during the run. Its duration does not change. */
export class AdjustedArrivals implements Timetable {
  readonly #planned: Timetable;
  readonly durationMs: number;
  readonly #segments: Segment[] = [{ from: 0, area: 0, due: 0, factor: 1 }];

  constructor(planned: Timetable) {
    this.#planned = planned;
    this.durationMs = planned.durationMs;
  }

  /**
   * Multiplies the planned rate by `factor` from `time` on. `time` is in milliseconds after the
   * start of the scenario, and must not be before the previous change. If `factor` is 0, no
   * iterations are due until the next change.
   */
  setFactor(time: number, factor: number): void {
    const area = this.#planned.areaUntil(time);
    this.#segments.push({ from: time, area, due: this.areaUntil(time), factor });
  }

  /** Number of iterations in the whole schedule, if the factor does not change again. */
  get count(): number {
    return wholeCount(this.areaUntil(this.#planned.durationMs));
  }

  /**
   * Returns the due time of iteration `n` (from 0), in milliseconds after the start of the
   * scenario. `n` must be less than `count`.
   */
  dueAt(n: number): number {
    const { area, due, factor } = this.#segments.findLast(({ due }) => due <= n)!;
    return factor === 0 ? Infinity : this.#planned.dueAt(area + (n - due) / factor);
  }

  placeOf(n: number): Place {
    return { index: this.#planned.areaUntil(this.dueAt(n)), of: this.#planned.count };
  }

  areaUntil(time: number): number {
    const segment = this.#segments.findLast(({ from }) => from <= time) ?? this.#segments[0];
    return segment.due + segment.factor * (this.#planned.areaUntil(time) - segment.area);
  }
}

/**
 * Places of iterations on the area under a rate curve, which is the number of iterations that an
 * even schedule has started until then.
 */
export interface Places {
  /** Returns the area at which iteration `n` (from 0) starts. */
  at(n: number): number;
  /** Returns the number of iterations that start before the area reaches `area`. */
  before(area: number): number;
}

/** Iterations start each time the area grows by 1. */
export const EVEN: Places = { at: (n) => n, before: wholeCount };

/** Maximum number of places that are drawn together. */
const BLOCK = 1_024;

/** Places of consecutive iterations. */
interface Block {
  /** Number of iterations before the block. */
  readonly before: number;
  readonly places: Float64Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns independent, uniformly distributed places, sorted: those of a Poisson process with
 * exactly `count` iterations in each `count` units of area. A binary tree divides the iterations at
 * random into halves, so that any block of places can be computed without the others. All shards of
 * a run compute the same tree from `seed`.
 */
export function randomPlaces(count: number, seed: number): Places {
  let known: Block = { before: 0, places: new Float64Array(0), start: 0, end: 0 };
  const find = (part: number, isFirst: (inFirst: number, middle: number) => boolean): Block => {
    let [before, size, left, width, node] = [part * count, count, part * count, count, 1];
    while (size > BLOCK) {
      const { gaussian } = random(seed, part, node);
      // A binomial number, in the normal approximation.
      const first = Math.min(
        size,
        Math.max(0, Math.round((size + Math.sqrt(size) * gaussian()) / 2)),
      );
      const inFirst = isFirst(before + first, left + width / 2);
      width /= 2;
      node = 2 * node + (inFirst ? 0 : 1);
      if (inFirst) size = first;
      else {
        size -= first;
        before += first;
        left += width;
      }
    }
    const draw = random(seed, part, node, BLOCK);
    const places = Float64Array.from({ length: size }, () => left + width * draw.next()).sort();
    return known = { before, places, start: left, end: left + width };
  };
  return {
    at(n) {
      if (n < known.before || n >= known.before + known.places.length) {
        find(Math.floor(n / count), (first) => n < first);
      }
      return known.places[n - known.before];
    },
    before(area) {
      if (area === Infinity) return Infinity;
      const { before, places } = area >= known.start && area < known.end
        ? known
        : find(Math.floor(area / count), (_, middle) => area < middle);
      const after = places.findIndex((place) => place >= area);
      return before + (after < 0 ? places.length : after);
    },
  };
}
