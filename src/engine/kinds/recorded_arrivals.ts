import { InputError } from "../../base/errors.ts";
import { durationMs } from "../../base/format.ts";
import { random } from "../../base/random.ts";
import type { ScenarioOf } from "../../plan/kinds/executors.ts";
import type { Place } from "../vu/vu.ts";
import type { Timetable } from "./arrivals.ts";

/**
 * Reads the timetable of a `recorded-arrivals` scenario. Throws InputError if its file cannot be
 * read or has an invalid line.
 */
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

/** Recorded starts of iterations, by second. */
interface RecordedSeconds {
  /** Seconds that have starts, ascending. */
  readonly seconds: Float64Array;
  /** For each second, the number of starts at an unknown time within it. */
  readonly counts: Uint32Array;
  /** Exact times of starts within each second, in seconds from 0 to 1. Absent if there are none. */
  readonly exact: ReadonlyMap<number, readonly number[]>;
  readonly starts: number;
  /** Number of recorded seconds. */
  readonly span: number;
}

const ROW = /^(\d+)(\.\d+)?,(\d+)$/;

/**
 * Parses a file of recorded arrivals. Throws InputError if a line is invalid, the times do not
 * ascend, or there are no starts.
 */
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

/** How to replay recorded starts. */
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
  /** Number of iterations before each second, and at the end. */
  readonly #before: Float64Array;
  /** Number of recorded starts before each second, and at the end. */
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
