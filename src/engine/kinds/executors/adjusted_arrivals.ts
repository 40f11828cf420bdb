import { type Timetable, wholeCount } from "./arrivals.ts";

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

  placeOf(n: number): number {
    return Math.min(1, this.#planned.areaUntil(this.dueAt(n)) / this.#planned.count);
  }

  areaUntil(time: number): number {
    const segment = this.#segments.findLast(({ from }) => from <= time) ?? this.#segments[0];
    return segment.due + segment.factor * (this.#planned.areaUntil(time) - segment.area);
  }
}
