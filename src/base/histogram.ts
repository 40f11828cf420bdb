// The buckets are those of HdrHistogram with 3 significant digits. Each value below 2048 has its
// own bucket. From there, each doubling of the value adds 1024 buckets:
//
//   values    0 … 2047   2048 … 4095   4096 … 8191   8192 … 16383   …
//   buckets     2048         1024          1024          1024       …
//   width        1            2             4             8         …
//
// Unlike in the library hdr-histogram-js, the sum is exact. `record` takes a third of the time
// (docs/decisions/0007). `histogram_codec.ts` converts to and from the library's encoding.
const MAGNITUDE = 11;
const HALF = 1 << (MAGNITUDE - 1);
/** Number of buckets with a width of 1. */
const UNIT_BUCKETS = HALF * 2;

/** The contents of a histogram, in a form that can be sent to another thread. */
export interface HistogramData {
  readonly counts: Uint32Array;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Nonempty buckets of a histogram, lowest first, with the number of values in each. */
export interface SparseHistogram {
  readonly buckets: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Histogram of integers from 0 to 2^53. Percentiles are accurate to 3 significant digits. */
export class Histogram {
  #counts = new Uint32Array(UNIT_BUCKETS);
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = 0;

  /** Records a value, rounded down to an integer. Records a negative value or NaN as 0. */
  record(value: number): void {
    const whole = value > 0 ? Math.floor(value) : 0;
    const bucket = bucketIndex(whole);
    if (bucket >= this.#counts.length) this.#grow(bucket + 1);
    this.#counts[bucket]++;
    this.#count++;
    this.#sum += whole;
    if (whole < this.#min) this.#min = whole;
    if (whole > this.#max) this.#max = whole;
  }

  get count(): number {
    return this.#count;
  }

  /** Exact sum of the recorded values. */
  get sum(): number {
    return this.#sum;
  }

  /** Exact minimum of the recorded values, or 0 if the histogram is empty. */
  get min(): number {
    return this.#count === 0 ? 0 : this.#min;
  }

  /** Exact maximum of the recorded values, or 0 if the histogram is empty. */
  get max(): number {
    return this.#max;
  }

  /** Exact mean of the recorded values, or 0 if the histogram is empty. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  /**
   * Returns the percentile `percent` (0 to 100): the smallest recorded value for which at least
   * `percent` percent of the recorded values are less than or equal to it. The result is accurate
   * to 3 significant digits. Returns 0 if there are no values.
   */
  percentile(percent: number): number {
    let left = Math.max(1, Math.ceil(percent / 100 * this.#count - 1e-9));
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      left -= this.#counts[bucket];
      if (left <= 0) return Math.max(this.min, Math.min(this.#max, highestValue(bucket)));
    }
    return this.#max;
  }

  /** Yields the lowest value and the count of each nonempty bucket, lowest value first. */
  *buckets(): Generator<[lowest: number, count: number]> {
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      if (this.#counts[bucket] > 0) yield [lowestValue(bucket), this.#counts[bucket]];
    }
  }

  addData(data: HistogramData): void {
    const { counts } = data;
    if (counts.length > this.#counts.length) this.#grow(counts.length);
    for (let bucket = 0; bucket < counts.length; bucket++) this.#counts[bucket] += counts[bucket];
    this.#count += data.count;
    this.#sum += data.sum;
    if (data.count > 0 && data.min < this.#min) this.#min = data.min;
    if (data.max > this.#max) this.#max = data.max;
  }

  /**
   * Adds `counts[i]` values to the bucket `buckets[i]`. `sum` is the sum of the added values. `min`
   * and `max` are the lowest and the highest of the added values. If these are unknown, pass the
   * lowest and the highest of all values, including those added earlier.
   */
  addBuckets({ buckets, counts, sum, min, max }: SparseHistogram): void {
    if (buckets.length === 0) return;
    const length = buckets[buckets.length - 1] + 1;
    if (length > this.#counts.length) this.#grow(length);
    for (let i = 0; i < buckets.length; i++) {
      this.#counts[buckets[i]] += counts[i];
      this.#count += counts[i];
    }
    this.#sum += sum;
    if (min < this.#min) this.#min = min;
    if (max > this.#max) this.#max = max;
  }

  /**
   * Returns the contents of this histogram. `counts` is not a copy: later calls to `record` change
   * it.
   */
  data(): HistogramData {
    const { min, max } = this;
    return { counts: this.#counts, count: this.#count, sum: this.#sum, min, max };
  }

  /**
   * Returns a histogram of the values recorded since `before`, an earlier copy of this histogram.
   * The minimum and maximum of the result are accurate only to 3 significant digits.
   */
  since(before: Histogram): Histogram {
    const counts = new Uint32Array(this.#counts);
    const earlier = before.#counts;
    for (let bucket = 0; bucket < earlier.length; bucket++) counts[bucket] -= earlier[bucket];
    const isUsed = (n: number) => n > 0;
    const count = this.#count - before.#count;
    return mergeHistograms({
      counts,
      count,
      sum: this.#sum - before.#sum,
      min: count > 0 ? lowestValue(counts.findIndex(isUsed)) : 0,
      max: count > 0 ? highestValue(counts.findLastIndex(isUsed)) : 0,
    });
  }

  /** Returns an independent copy of this histogram. */
  copy(): Histogram {
    return mergeHistograms(this.data());
  }

  #grow(length: number): void {
    const counts = new Uint32Array(Math.ceil(length / HALF) * HALF);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

/** Creates a histogram that contains the values of all given histograms. */
export function mergeHistograms(...data: readonly HistogramData[]): Histogram {
  const histogram = new Histogram();
  for (const each of data) histogram.addData(each);
  return histogram;
}

/** Returns the index of the bucket that counts the integer `value`. */
export function bucketIndex(value: number): number {
  const bits = value < 0x80000000 ? 32 - Math.clz32(value) : Math.floor(Math.log2(value)) + 1;
  const shift = bits > MAGNITUDE ? bits - MAGNITUDE : 0;
  const shifted = value < 0x80000000 ? value >>> shift : Math.floor(value / 2 ** shift);
  return shift * HALF + shifted;
}

/** Returns the lowest value that a bucket counts. */
export function lowestValue(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / HALF) - 1);
  return (bucket - shift * HALF) * 2 ** shift;
}

/** Returns the highest value that a bucket counts. */
export function highestValue(bucket: number): number {
  return lowestValue(bucket + 1) - 1;
}

/** Number of buckets of a histogram that counts all integers below 2^53. */
const MAX_BUCKETS = bucketIndex(Number.MAX_SAFE_INTEGER) + 1;
/** Maximum length of the text that `encodeBuckets` can return. */
const MAX_TEXT = Math.ceil(MAX_BUCKETS * 8 / 3) * 4;

/**
 * Encodes the values that a histogram has received since `before`, which contains its earlier
 * counts. The result is base64 text of varints: for each bucket with new values, the number of
 * buckets skipped before it, and the number of its new values. Returns an empty string if there are
 * no new values.
 */
export function encodeBuckets({ counts }: HistogramData, before?: Uint32Array): string {
  const buckets: number[] = [];
  const added: number[] = [];
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const more = counts[bucket] - (before?.[bucket] ?? 0);
    if (more <= 0) continue;
    buckets.push(bucket);
    added.push(more);
  }
  return encodeSparse({ buckets, counts: added });
}

/**
 * Encodes buckets and their counts. The bucket numbers must be in ascending order, and the counts
 * above 0. `decodeBuckets` decodes the result.
 */
export function encodeSparse(
  { buckets, counts }: Pick<SparseHistogram, "buckets" | "counts">,
): string {
  const bytes: number[] = [];
  let last = -1;
  buckets.forEach((bucket, i) => {
    pushVarint(bytes, bucket - last - 1);
    pushVarint(bytes, counts[i]);
    last = bucket;
  });
  return Uint8Array.from(bytes).toBase64();
}

/**
 * Decodes the output of `encodeBuckets`. The text may come from an untrusted source: throws an
 * Error if it is invalid.
 */
export function decodeBuckets(text: string): Pick<SparseHistogram, "buckets" | "counts"> {
  if (text.length > MAX_TEXT) throw new Error("the histogram is too large");
  const bytes = Uint8Array.fromBase64(text);
  const buckets: number[] = [];
  const counts: number[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (at >= bytes.length) throw new Error("the histogram ends too early");
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new Error("the histogram contains a number that is too large");
  };
  for (let bucket = -1; at < bytes.length;) {
    bucket += varint() + 1;
    const count = varint();
    if (bucket >= MAX_BUCKETS || count === 0 || count >= 2 ** 32) {
      throw new Error("the histogram contains an invalid bucket");
    }
    buckets.push(bucket);
    counts.push(count);
  }
  return { buckets, counts };
}

function pushVarint(bytes: number[], value: number): void {
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push(value % 128 | 128);
  bytes.push(value);
}
