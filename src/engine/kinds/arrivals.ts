import { InputError } from "../../base/errors.ts";
import { durationMs } from "../../base/format.ts";
import { random } from "../../base/random.ts";
import type { ScenarioOf } from "../../plan/kinds/executors.ts";
import type { Place } from "../vu/vu.ts";

/** Stage in which the rate, per millisecond, changes linearly from `from` to `to`. */
export interface RateStage {
  readonly durationMs: number;
  readonly from: number;
  readonly to: number;
}

/**
 * When the iterations of an open model are due. Times are in ms after the start of the scenario.
 */
export interface Timetable {
  readonly count: number;
  readonly durationMs: number;
  /** Returns the due time of iteration `n` (from 0), which may be fractional. */
  dueAt(n: number): number;
  areaUntil(time: number): number;
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
  readonly count: number;
  readonly durationMs: number;
  readonly #stages: readonly RateStage[];
  readonly #times: number[] = [0];
  /**
   * Area under the rate curve up to each time in `#times`, that is, the number of iterations due.
   */
  readonly #areas: number[] = [0];

  constructor(stages: readonly RateStage[]) {
    this.#stages = stages;
    stages.forEach(({ durationMs, from, to }, i) => {
      this.#times.push(this.#times[i] + durationMs);
      this.#areas.push(this.#areas[i] + durationMs * (from + to) / 2);
    });
    this.durationMs = this.#times[stages.length];
    this.count = wholeCount(this.#areas[stages.length]);
  }

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

interface Segment {
  readonly from: number;
  /** Area under the curve of the planned rate up to `from`. */
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

  get count(): number {
    return wholeCount(this.areaUntil(this.#planned.durationMs));
  }

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

/** Places of iterations on the area under a rate curve. */
export interface Places {
  /** Returns the area at which iteration `n` (from 0) starts. */
  at(n: number): number;
  before(area: number): number;
}

/** Iterations start each time the area grows by 1. */
export const EVEN: Places = { at: (n) => n, before: wholeCount };

const BLOCK = 1_024;

interface Block {
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

export function recordedTimetable(
  { path, rate, time_unit = "1s", squeeze = 1, duration }: ScenarioOf<"recorded-arrivals">,
  { readFile, seed }: {
    readonly readFile: (path: string) => Uint8Array;
    readonly seed: number;
  },
): Timetable {
  const recorded = parseArrivals(new TextDecoder().decode(readFile(path)), path);
  const mean = recorded.starts / recorded.span * squeeze;
  const scale = rate / (durationMs(time_unit)! / 1_000) / mean;
  return new RecordedArrivals(recorded, {
    // A plan contains the rate with six digits.
    scale: Math.abs(scale - 1) < 1e-5 ? 1 : scale,
    squeeze,
    durationMs: durationMs(duration)!,
    seed,
  });
}

interface RecordedSeconds {
  readonly seconds: Float64Array;
  /** For each second, the number of starts at an unknown time within it. */
  readonly counts: Uint32Array;
  /** Exact times of starts within each second, in seconds from 0 to 1. Absent if there are none. */
  readonly exact: ReadonlyMap<number, readonly number[]>;
  readonly starts: number;
  readonly span: number;
}

const ROW = /^(\d+)(\.\d+)?,(\d+)$/;

/** Parses a file of recorded arrivals, whose times must ascend. */
function parseArrivals(text: string, source: string): RecordedSeconds {
  const seconds: number[] = [];
  const counts: number[] = [];
  const exact = new Map<number, number[]>();
  let [starts, last] = [0, -1];
  const lines = text.split(/\r?\n/);
  for (let i = 1; i < lines.length; i++) {
    if (lines[i] === "" && i === lines.length - 1) break;
    const [, whole, fraction, count] = ROW.exec(lines[i]) ?? [];
    const time = Number(whole) + Number(fraction ?? 0);
    if (!(time >= last)) {
      const why = count === undefined ? "expected `second,starts`" : "the time is before the last";
      throw new InputError(`cannot use the arrivals: ${why}`, { source, line: i + 1 });
    }
    last = time;
    starts += Number(count);
    if (seconds.at(-1) !== Number(whole)) {
      seconds.push(Number(whole));
      counts.push(0);
    }
    if (fraction === undefined) counts[counts.length - 1] += Number(count);
    else {
      const times = exact.get(Number(whole)) ?? [];
      for (let k = 0; k < Number(count); k++) times.push(Number(fraction));
      exact.set(Number(whole), times);
    }
  }
  if (starts === 0) throw new InputError("cannot use the arrivals: there are none", { source });
  return {
    seconds: Float64Array.from(seconds),
    counts: Uint32Array.from(counts),
    exact,
    starts,
    span: Math.floor(last) + 1,
  };
}

interface Replay {
  /** Number of iterations for each recorded start. A fraction is drawn at random. */
  readonly scale: number;
  /** Factor that divides all times. */
  readonly squeeze: number;
  /** Time in ms after which nothing starts. */
  readonly durationMs: number;
  /** Seed of the random times and choices. It must be the same in all shards of a run. */
  readonly seed: number;
}

/** Schedule of recorded starts. Times within a second are computed when the second is due. */
class RecordedArrivals implements Timetable {
  readonly count: number;
  readonly durationMs: number;
  readonly #recorded: RecordedSeconds;
  readonly #replay: Replay;
  readonly #before: Float64Array;
  readonly #startsBefore: Float64Array;
  #known: { readonly index: number; readonly times: Float64Array } | undefined;

  constructor(recorded: RecordedSeconds, replay: Replay) {
    this.#recorded = recorded;
    this.#replay = replay;
    this.durationMs = replay.durationMs;
    const { seconds } = recorded;
    this.#before = new Float64Array(seconds.length + 1);
    this.#startsBefore = new Float64Array(seconds.length + 1);
    for (let i = 0; i < seconds.length; i++) {
      const starts = this.#startsIn(i);
      this.#startsBefore[i + 1] = this.#startsBefore[i] + starts;
      this.#before[i + 1] = this.#before[i] +
        (replay.scale === 1 ? starts : this.#timesOf(i).length);
    }
    this.count = this.areaUntil(this.durationMs);
  }

  dueAt(n: number): number {
    const whole = Math.floor(n + 1e-9);
    const index = lastAtMost(this.#before, whole);
    const time = this.#recorded.seconds[index] + this.#times(index)[whole - this.#before[index]];
    return time * 1_000 / this.#replay.squeeze;
  }

  areaUntil(time: number): number {
    const { seconds } = this.#recorded;
    const recorded = Math.min(time, this.durationMs) * this.#replay.squeeze / 1_000;
    const index = lastAtMost(seconds, recorded);
    if (index < 0) return 0;
    const within = this.#times(index).findIndex((one) => seconds[index] + one >= recorded);
    return within < 0 ? this.#before[index + 1] : this.#before[index] + within;
  }

  placeOf(n: number): Place {
    const { scale } = this.#replay;
    const index = lastAtMost(this.#before, n);
    const share = (n - this.#before[index]) / (this.#before[index + 1] - this.#before[index]);
    const starts = this.#startsBefore[index] + share * this.#startsIn(index);
    return { index: scale * starts, of: scale * this.#recorded.starts };
  }

  #startsIn(index: number): number {
    const { seconds, counts, exact } = this.#recorded;
    return counts[index] + (exact.get(seconds[index])?.length ?? 0);
  }

  #times(index: number): Float64Array {
    if (this.#known?.index !== index) this.#known = { index, times: this.#timesOf(index) };
    return this.#known.times;
  }

  #timesOf(index: number): Float64Array {
    const { seconds, exact } = this.#recorded;
    const { scale, seed } = this.#replay;
    const known = exact.get(seconds[index]) ?? [];
    const draw = random(seed, seconds[index]);
    const times: number[] = [];
    for (let i = 0; i < this.#startsIn(index); i++) {
      const copies = scale === 1 ? 1 : Math.floor(scale + draw.next());
      for (let k = 0; k < copies; k++) {
        times.push(k === 0 && i < known.length ? known[i] : draw.next());
      }
    }
    return Float64Array.from(times).sort();
  }
}

/** Returns the last index whose value is at most `limit`, or -1. The values must ascend. */
function lastAtMost(values: Float64Array, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
