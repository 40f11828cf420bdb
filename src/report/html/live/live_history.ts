import { type SecondPoint, together } from "../timeline.ts";

/** The most points that are kept, as in a report: one a second for an hour. */
const MOST = 3_600;

/** The seconds of a run that goes on, in bounded room: of a long one, the old are put together. */
export class LiveHistory {
  #points: SecondPoint[] = [];

  /** The points so far, in order. */
  get points(): readonly SecondPoint[] {
    return this.#points;
  }

  /** Keeps one more; true when that put older ones together. */
  add(point: SecondPoint): boolean {
    const full = this.#points.length >= MOST;
    if (full) {
      this.#points = Array.from(
        { length: Math.ceil(MOST / 2) },
        (_, i) => together(this.#points.slice(2 * i, 2 * i + 2)),
      );
    }
    this.#points.push(point);
    return full;
  }
}
