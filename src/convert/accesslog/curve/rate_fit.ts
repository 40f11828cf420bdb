import { nonNegativeSolution } from "./nnls.ts";

/** A cumulative count, known at points in time: `counts[i]` requests came before `times[i]`. */
export interface Cumulative {
  /** Whole seconds, rising, from 0 on. */
  readonly times: Float64Array;
  /** Requests, never falling, from 0 on. */
  readonly counts: Float64Array;
}

/** A rate that moves in straight lines from knot to knot, and how far its area is from the count. */
export interface RateFit {
  /** Indices into the times of the cumulative count; the first is 0, the last one the last. */
  readonly knots: readonly number[];
  /** The rate at each knot, never negative. */
  readonly rates: Float64Array;
  /** Area under the rate minus count, at each of the times. */
  readonly residuals: Float64Array;
  /** The sum of their squares. */
  readonly error: number;
}

/** The continuous rate with these knots whose area has the least squared distance to the count. */
export function fitRates({ times, counts }: Cumulative, knots: readonly number[]): RateFit {
  const areas = knots.map((_, i) => areaOfHat(times, knots, i));
  const size = knots.length;
  const gram = new Float64Array(size * size);
  const right = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    // Before the knot to its left, a hat has no area yet.
    const from = knots[Math.max(0, i - 1)];
    right[i] = product(areas[i], counts, from);
    for (let j = 0; j <= i; j++) {
      gram[i * size + j] = gram[j * size + i] = product(areas[i], areas[j], from);
    }
  }
  const rates = nonNegativeSolution(gram, right);
  const residuals = counts.map((count, t) => {
    let area = -count;
    for (let i = 0; i < size; i++) area += rates[i] * areas[i][t];
    return area;
  });
  return { knots, rates, residuals, error: product(residuals, residuals, 0) };
}

/** The area up to each time under the hat that is 1 at knot `i` and 0 at its neighbours. */
function areaOfHat(times: Float64Array, knots: readonly number[], i: number): Float64Array {
  const peak = times[knots[i]];
  const left = times[knots[Math.max(0, i - 1)]];
  const right = times[knots[Math.min(knots.length - 1, i + 1)]];
  return times.map((time) => {
    if (time <= left) return 0;
    if (time <= peak) return (time - left) ** 2 / (2 * (peak - left));
    const rising = (peak - left) / 2;
    if (time >= right) return rising + (right - peak) / 2;
    return rising + (right - peak) / 2 - (right - time) ** 2 / (2 * (right - peak));
  });
}

function product(a: Float64Array, b: Float64Array, from: number): number {
  let sum = 0;
  for (let t = from; t < a.length; t++) sum += a[t] * b[t];
  return sum;
}
