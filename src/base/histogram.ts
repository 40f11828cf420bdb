// HdrHistogram's layout for 3 significant digits: values below 2048 have a slot each, then every
// doubling of the value has 1024 slots. Ours adds a recording that allocates nothing and keeps the
// exact sum; `histogram_encoding.ts` writes and reads the library's encoding.
const MAGNITUDE = 11;
const HALF = 1 << (MAGNITUDE - 1);
const FIRST = HALF * 2;

/** What a histogram holds, as it crosses threads. */
export interface HistogramData {
  readonly counts: Uint32Array;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Counts of whole numbers from 0 to 2^53, each kept to 3 significant digits. */
export class Histogram {
  #counts = new Uint32Array(FIRST);
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = 0;

  /** Counts one value; what is below 0 counts as 0. Fractions are dropped. */
  record(value: number): void {
    const whole = value > 0 ? Math.floor(value) : 0;
    const slot = bucketIndex(whole);
    if (slot >= this.#counts.length) this.#grow(slot + 1);
    this.#counts[slot]++;
    this.#count++;
    this.#sum += whole;
    if (whole < this.#min) this.#min = whole;
    if (whole > this.#max) this.#max = whole;
  }

  /** How many values were recorded. */
  get count(): number {
    return this.#count;
  }

  /** The exact sum of the values. */
  get sum(): number {
    return this.#sum;
  }

  /** The smallest value, exactly; 0 without any. */
  get min(): number {
    return this.#count === 0 ? 0 : this.#min;
  }

  /** The largest value, exactly; 0 without any. */
  get max(): number {
    return this.#max;
  }

  /** The exact mean; 0 without values. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  /** The value below or at which `percent` of the values lie, to 3 digits; 0 without values. */
  percentile(percent: number): number {
    let left = Math.max(1, Math.ceil(percent / 100 * this.#count - 1e-9));
    for (let slot = 0; slot < this.#counts.length; slot++) {
      left -= this.#counts[slot];
      if (left <= 0) return Math.max(this.min, Math.min(this.#max, highestIn(slot)));
    }
    return this.#max;
  }

  /** The lowest value of each slot that holds any, rising, and how many it holds. */
  *slots(): Generator<[lowest: number, count: number]> {
    for (let slot = 0; slot < this.#counts.length; slot++) {
      if (this.#counts[slot] > 0) yield [lowestIn(slot), this.#counts[slot]];
    }
  }

  /** Adds what another one counted. */
  addData(data: HistogramData): void {
    const { counts } = data;
    if (counts.length > this.#counts.length) this.#grow(counts.length);
    for (let slot = 0; slot < counts.length; slot++) this.#counts[slot] += counts[slot];
    this.#count += data.count;
    this.#sum += data.sum;
    if (data.count > 0 && data.min < this.#min) this.#min = data.min;
    if (data.max > this.#max) this.#max = data.max;
  }

  /** What it holds; a view of the counts, not a copy. */
  data(): HistogramData {
    const { min, max } = this;
    return { counts: this.#counts, count: this.#count, sum: this.#sum, min, max };
  }

  /** What was recorded since `before` was copied from this one; its extremes are to 3 digits. */
  since(before: Histogram): Histogram {
    const counts = new Uint32Array(this.#counts);
    const earlier = before.#counts;
    for (let slot = 0; slot < earlier.length; slot++) counts[slot] -= earlier[slot];
    const holds = (n: number) => n > 0;
    const count = this.#count - before.#count;
    return mergeHistograms({
      counts,
      count,
      sum: this.#sum - before.#sum,
      min: count > 0 ? lowestIn(counts.findIndex(holds)) : 0,
      max: count > 0 ? highestIn(counts.findLastIndex(holds)) : 0,
    });
  }

  /** A copy of its own. */
  copy(): Histogram {
    return mergeHistograms(this.data());
  }

  #grow(length: number): void {
    const counts = new Uint32Array(Math.ceil(length / HALF) * HALF);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

/** The histogram of the data, added up. */
export function mergeHistograms(...data: readonly HistogramData[]): Histogram {
  const histogram = new Histogram();
  for (const each of data) histogram.addData(each);
  return histogram;
}

/** The slot that counts a whole number. */
export function bucketIndex(value: number): number {
  const bits = value < 0x80000000 ? 32 - Math.clz32(value) : Math.floor(Math.log2(value)) + 1;
  const bucket = bits > MAGNITUDE ? bits - MAGNITUDE : 0;
  const inBucket = value < 0x80000000 ? value >>> bucket : Math.floor(value / 2 ** bucket);
  return bucket * HALF + inBucket;
}

function lowestIn(slot: number): number {
  const bucket = Math.max(0, Math.floor(slot / HALF) - 1);
  return (slot - bucket * HALF) * 2 ** bucket;
}

function highestIn(slot: number): number {
  return lowestIn(slot + 1) - 1;
}
