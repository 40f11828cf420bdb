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
  /** The sum of the weighted squares of area minus count at each of the times. */
  readonly error: number;
}

/** Fits rates to one cumulative count, for any knots; what does not depend on them is made once. */
export class RateFitter {
  readonly times: Float64Array;
  readonly #counts: Float64Array;
  readonly #weights: Float64Array;
  /** Of each time and all behind: the weights, and the weighted counts, together. */
  readonly #weightBehind: Float64Array;
  readonly #countBehind: Float64Array;
  readonly #squares: number;

  /** Each time counts as much as its weight. */
  constructor({ times, counts }: Cumulative, weights: Float64Array) {
    [this.times, this.#counts, this.#weights] = [times, counts, weights];
    this.#weightBehind = sumsBehind(weights);
    this.#countBehind = sumsBehind(weights.map((weight, t) => weight * counts[t]));
    this.#squares = weights.reduce((sum, weight, t) => sum + weight * counts[t] ** 2, 0);
  }

  /** The continuous rate with these knots whose area has the least weighted distance to the count. */
  fit(knots: readonly number[]): RateFit {
    const size = knots.length;
    const hats = knots.map((_, i) => this.#hat(knots, i));
    const gram = new Float64Array(size * size);
    const right = Float64Array.from(hats, ({ withCount }) => withCount);
    for (let i = 0; i < size; i++) {
      gram[i * size + i] = hats[i].withItself;
      if (i > 0) gram[i * size + i - 1] = this.#product(hats[i - 1], hats[i]);
      // Of a hat that lies wholly before, there is but its whole area.
      for (let j = 0; j < i - 1; j++) gram[i * size + j] = hats[j].area * hats[i].sum;
      for (let j = 0; j < i; j++) gram[j * size + i] = gram[i * size + j];
    }
    const rates = nonNegativeSolution(gram, right);
    let error = this.#squares;
    for (let i = 0; i < size; i++) {
      let slope = -2 * right[i];
      for (let j = 0; j < size; j++) slope += gram[i * size + j] * rates[j];
      error += rates[i] * slope;
    }
    return { knots, rates, error: Math.max(0, error) };
  }

  /** Area under the rate minus count, at each of the times. */
  residuals({ knots, rates }: RateFit): Float64Array {
    const { times } = this;
    const residuals = new Float64Array(times.length);
    let before = 0;
    for (let i = 1; i < knots.length; i++) {
      const [from, to] = [knots[i - 1], knots[i]];
      const slope = (rates[i] - rates[i - 1]) / (times[to] - times[from]);
      const area = (t: number) => {
        const length = times[t] - times[from];
        return before + length * (rates[i - 1] + slope * length / 2);
      };
      for (let t = from + 1; t <= to; t++) residuals[t] = area(t) - this.#counts[t];
      before = area(to);
    }
    return residuals;
  }

  /** The farthest that the area is from the count at any of the times. */
  farthest(fit: RateFit): number {
    return this.residuals(fit).reduce((most, off) => Math.max(most, Math.abs(off)), 0);
  }

  /** The sum of the weighted squares of the residuals of each stage. */
  squares(fit: RateFit): number[] {
    const residuals = this.residuals(fit);
    return fit.knots.slice(1).map((to, i) => {
      let sum = 0;
      for (let t = fit.knots[i]; t <= to; t++) sum += this.#weights[t] * residuals[t] ** 2;
      return sum;
    });
  }

  /** The hat that is 1 at knot `i` and 0 at its neighbours. */
  #hat(knots: readonly number[], i: number): Hat {
    const { times } = this;
    const from = knots[Math.max(0, i - 1)];
    const to = knots[Math.min(knots.length - 1, i + 1)];
    const [left, peak, right] = [times[from], times[knots[i]], times[to]];
    const rising = (peak - left) / 2;
    const area = rising + (right - peak) / 2;
    const areas = new Float64Array(to - from + 1);
    let sum = this.#weightBehind[to + 1] * area;
    let withItself = sum * area;
    let withCount = this.#countBehind[to + 1] * area;
    for (let t = from + 1; t <= to; t++) {
      const time = times[t];
      const value = time <= peak
        ? (time - left) ** 2 / (2 * (peak - left))
        : area - (right - time) ** 2 / (2 * (right - peak) || 1);
      areas[t - from] = value;
      const weighted = value * this.#weights[t];
      sum += weighted;
      withItself += weighted * value;
      withCount += weighted * this.#counts[t];
    }
    return { from, to, area, areas, sum, withItself, withCount };
  }

  /** The sum of weight times area under a hat times that under the next one. */
  #product(hat: Hat, next: Hat): number {
    let sum = this.#weightBehind[next.to + 1] * hat.area * next.area;
    for (let t = next.from; t <= next.to; t++) {
      const area = t <= hat.to ? hat.areas[t - hat.from] : hat.area;
      sum += this.#weights[t] * area * next.areas[t - next.from];
    }
    return sum;
  }
}

/** The area up to each time under a hat, and its weighted sums over all times. */
interface Hat {
  readonly from: number;
  readonly to: number;
  /** The whole area, which it has from `to` on. */
  readonly area: number;
  /** The area up to each time from `from` to `to`. */
  readonly areas: Float64Array;
  readonly sum: number;
  readonly withItself: number;
  readonly withCount: number;
}

function sumsBehind(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let t = values.length - 1; t >= 0; t--) sums[t] = sums[t + 1] + values[t];
  return sums;
}
