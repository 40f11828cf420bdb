/** A stretch of time in which the rate moves in a straight line; rates are starts per millisecond. */
export interface RateStage {
  readonly durationMs: number;
  readonly from: number;
  readonly to: number;
}

// An area that rounding leaves this far below a whole number still counts as that number.
const EPSILON = 1e-9;

/**
 * When the starts of an open-model scenario are due. Start n (from 0) is due when the area under the
 * rate curve reaches n: it is computed from n alone, so no error adds up.
 */
export class Arrivals {
  /** How many starts there are in all. */
  readonly count: number;
  /** Milliseconds from the first to the end of the last stage. */
  readonly durationMs: number;
  readonly #stages: readonly RateStage[];
  /** Per stage: time and area at its start; one more for the end. */
  readonly #times: number[] = [0];
  readonly #areas: number[] = [0];

  /** Of stages one after the other. */
  constructor(stages: readonly RateStage[]) {
    this.#stages = stages;
    stages.forEach(({ durationMs, from, to }, i) => {
      this.#times.push(this.#times[i] + durationMs);
      this.#areas.push(this.#areas[i] + durationMs * (from + to) / 2);
    });
    this.durationMs = this.#times[stages.length];
    this.count = Math.ceil(this.#areas[stages.length] - EPSILON);
  }

  /** Milliseconds after the scenario's start at which start `n` (below `count`) is due. */
  dueAt(n: number): number {
    const stage = this.#stageOf(n);
    const { durationMs, from, to } = this.#stages[stage];
    const area = Math.max(0, n - this.#areas[stage]);
    if (area === 0) return this.#times[stage];
    const slope = (to - from) / durationMs;
    // The usual root loses its digits when the slope is near 0; this form of it does not.
    const root = Math.sqrt(Math.max(0, from * from + 2 * slope * area));
    return this.#times[stage] + Math.min(durationMs, 2 * area / (from + root));
  }

  /** How many starts are due before `time`, in ms after the scenario's start. */
  countUntil(time: number): number {
    if (time < 0) return 0;
    const after = this.#times.findIndex((begin) => begin > time);
    if (after < 0) return this.count;
    const { durationMs, from, to } = this.#stages[after - 1];
    const passed = time - this.#times[after - 1];
    const area = passed * (from + (to - from) * passed / durationMs / 2);
    return Math.min(this.count, Math.ceil(this.#areas[after - 1] + area - EPSILON));
  }

  /** The last stage that begins at or below the area `n` and has an area of its own. */
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
