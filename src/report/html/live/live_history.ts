import { mergePoints, type SecondPoint } from "../timeline.ts";

/** Maximum number of points, as in a report: one per second for an hour. */
const MOST = 3_600;

/** Timeline of a run in progress with bounded memory: merges older points when full. */
export class LiveHistory {
  #points: SecondPoint[] = [];

  /** The points so far, in order. */
  get points(): readonly SecondPoint[] {
    return this.#points;
  }

  /** Adds a point. Returns true if this merged older points. */
  add(point: SecondPoint): boolean {
    const full = this.#points.length >= MOST;
    if (full) {
      this.#points = Array.from(
        { length: Math.ceil(MOST / 2) },
        (_, i) => mergePoints(this.#points.slice(2 * i, 2 * i + 2)),
      );
    }
    this.#points.push(point);
    return full;
  }
}
