import { nonNegativeSolution } from "./nnls.ts";

/** The cumulative number of requests at selected times: `counts[i]` requests came before `times[i]`. */
export interface Cumulative {
  /** Ascending whole seconds since the first request, starting at 0. */
  readonly times: Float64Array;
  /** Cumulative numbers of requests, starting at 0; never decreasing. */
  readonly counts: Float64Array;
}

/** A piecewise linear rate, and how far the area under it is from the cumulative count. */
export interface RateFit {
  /**
   * Indices into `Cumulative.times` where the slope of the rate may change, including the first and last
   * index.
   */
  readonly knots: readonly number[];
  /** Rate at each knot, in requests per second; at least 0. */
  readonly rates: Float64Array;
  /**
   * Weighted sum of squared errors. The error at a time is the area under the rate minus the cumulative
   * count.
   */
  readonly error: number;
}

/**
 * Fits rates to a cumulative count for any choice of knots. Precomputes the sums that do not depend on
 * the knots.
 */
export class RateFitter {
  readonly times: Float64Array;
  readonly #counts: Float64Array;
  readonly #weights: Float64Array;
  /** Suffix sums over the times: of the weights, and of the counts multiplied by their weights. */
  readonly #weightFrom: Float64Array;
  readonly #countFrom: Float64Array;
  readonly #squares: number;

  /**
   * Creates a fitter for one cumulative count. `weights[i]` is the weight of the squared error at
   * `times[i]`.
   */
  constructor({ times, counts }: Cumulative, weights: Float64Array) {
    [this.times, this.#counts, this.#weights] = [times, counts, weights];
    this.#weightFrom = suffixSums(weights);
    this.#countFrom = suffixSums(weights.map((weight, t) => weight * counts[t]));
    this.#squares = weights.reduce((sum, weight, t) => sum + weight * counts[t] ** 2, 0);
  }

  /**
   * Returns the continuous, non-negative rate with these knots that has the smallest weighted squared
   * error.
   */
  fit(knots: readonly number[]): RateFit {
    const size = knots.length;
    const hats = knots.map((_, i) => this.#hat(knots, i));
    const gram = new Float64Array(size * size);
    const right = Float64Array.from(hats, ({ withCount }) => withCount);
    for (let i = 0; i < size; i++) {
      gram[i * size + i] = hats[i].withItself;
      if (i > 0) gram[i * size + i - 1] = this.#product(hats[i - 1], hats[i]);
      // A hat that ends before contributes its whole area.
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

  /** Returns the error at each time: the area under the rate minus the cumulative count, in requests. */
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

  /** Returns the largest absolute error at any time, in requests. */
  farthest(fit: RateFit): number {
    return this.residuals(fit).reduce((most, off) => Math.max(most, Math.abs(off)), 0);
  }

  /**
   * Returns the weighted sum of squared errors of each stage, which is the piece between two adjacent
   * knots.
   */
  squares(fit: RateFit): number[] {
    const residuals = this.residuals(fit);
    return fit.knots.slice(1).map((to, i) => {
      let sum = 0;
      for (let t = fit.knots[i]; t <= to; t++) sum += this.#weights[t] * residuals[t] ** 2;
      return sum;
    });
  }

  /** Integrates the hat function of knot `i`, which is 1 at that knot and 0 at its neighbors. */
  #hat(knots: readonly number[], i: number): Hat {
    const { times } = this;
    const from = knots[Math.max(0, i - 1)];
    const to = knots[Math.min(knots.length - 1, i + 1)];
    const [left, peak, right] = [times[from], times[knots[i]], times[to]];
    const rising = (peak - left) / 2;
    const area = rising + (right - peak) / 2;
    const areas = new Float64Array(to - from + 1);
    let sum = this.#weightFrom[to + 1] * area;
    let withItself = sum * area;
    let withCount = this.#countFrom[to + 1] * area;
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

  /** Returns the weighted inner product of the areas under two adjacent hats. */
  #product(hat: Hat, next: Hat): number {
    let sum = this.#weightFrom[next.to + 1] * hat.area * next.area;
    for (let t = next.from; t <= next.to; t++) {
      const area = t <= hat.to ? hat.areas[t - hat.from] : hat.area;
      sum += this.#weights[t] * area * next.areas[t - next.from];
    }
    return sum;
  }
}

/** The area under a hat function up to each time, and weighted sums over all times. */
interface Hat {
  readonly from: number;
  readonly to: number;
  /** Area under the whole hat, which is reached at index `to`. */
  readonly area: number;
  /** Area under the hat up to each time, for indices from `from` to `to`. */
  readonly areas: Float64Array;
  readonly sum: number;
  readonly withItself: number;
  readonly withCount: number;
}

function suffixSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let t = values.length - 1; t >= 0; t--) sums[t] = sums[t + 1] + values[t];
  return sums;
}
