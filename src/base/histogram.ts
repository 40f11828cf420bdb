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
const UNIT_BUCKETS = HALF * 2;

/** The contents of a histogram, in a form that can be sent to another thread. */
export interface HistogramData {
  readonly counts: Uint32Array;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Lowest first. */
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

  /** Rounded down. Negative values and NaN count as 0. */
  record(value: number): void {
    if (value < 1) {
      this.#counts[0]++;
      this.#count++;
      this.#min = 0;
      return;
    }
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

  get sum(): number {
    return this.#sum;
  }

  get min(): number {
    return this.#count === 0 ? 0 : this.#min;
  }

  get max(): number {
    return this.#max;
  }

  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  /**
   * The smallest value that `percent` percent (0 to 100) of the values do not exceed, to 3
   * significant digits. 0 without values.
   */
  percentile(percent: number): number {
    let left = Math.max(1, Math.ceil(percent / 100 * this.#count - 1e-9));
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      left -= this.#counts[bucket];
      if (left <= 0) return Math.max(this.min, Math.min(this.#max, highestValue(bucket)));
    }
    return this.#max;
  }

  /** Nonempty buckets, lowest first. */
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
   * `sum`, `min` and `max` are those of the added values. Unknown limits may be those of all
   * values, including earlier ones.
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

  /** `counts` is not a copy. */
  data(): HistogramData {
    const { min, max } = this;
    return { counts: this.#counts, count: this.#count, sum: this.#sum, min, max };
  }

  /** `before` is an earlier copy of this one. */
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

  copy(): Histogram {
    return mergeHistograms(this.data());
  }

  #grow(length: number): void {
    const counts = new Uint32Array(Math.ceil(length / HALF) * HALF);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

/** Creates a histogram of the values of several histograms. */
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

/** `half` is 16 for a coarse bucket. */
export function lowestValue(bucket: number, half = HALF): number {
  const shift = Math.max(0, Math.floor(bucket / half) - 1);
  return (bucket - shift * half) * 2 ** shift;
}

export function highestValue(bucket: number): number {
  return lowestValue(bucket + 1) - 1;
}

const MAX_BUCKETS = bucketIndex(Number.MAX_SAFE_INTEGER) + 1;
const MAX_TEXT = Math.ceil(MAX_BUCKETS * 8 / 3) * 4;

/**
 * What it received since `before`, as base64 of varints: for each changed bucket, the buckets
 * skipped before it and its new values. Empty if there are none.
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

/** Encodes buckets in ascending order, and their counts, which are above 0. */
function encodeSparse(
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

/** Throws an Error if the text is invalid. */
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

/** Appends an integer of at least 0 in LEB128. */
export function pushVarint(bytes: number[], value: number): void {
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push(value % 128 | 128);
  bytes.push(value);
}

/**
 * Below 16, one for each value; from there, 16 for each doubling. The middle differs by at most
 * 3.1% from the values in the bucket.
 */
export const COARSE_BUCKETS = 448;

const COARSE_HALF = 16;
const MAX_COARSE = 0x7fffffff;

/** Returns the coarse bucket of a value of at least 0. The last one counts all above 2^31 - 1. */
export function coarseBucket(value: number): number {
  const whole = value < MAX_COARSE ? value | 0 : MAX_COARSE;
  if (whole < 16) return whole;
  const shift = 27 - Math.clz32(whole);
  return (shift << 4) + (whole >>> shift);
}

/** Returns the lowest value of a coarse bucket. */
function coarseLowest(bucket: number): number {
  return lowestValue(bucket, COARSE_HALF);
}

/** The middle, rounded down to an integer. */
export function coarseValue(bucket: number): number {
  return Math.floor((coarseLowest(bucket) + coarseLowest(bucket + 1) - 1) / 2);
}

/** Lowest first, as alternating bucket numbers and counts. */
export type CoarseCounts = Uint32Array;

/** Returns the nonempty buckets of counts by coarse bucket. */
export function compactBuckets(counts: Uint32Array): CoarseCounts {
  const pairs: number[] = [];
  for (let bucket = 0; bucket < counts.length; bucket++) {
    if (counts[bucket] > 0) pairs.push(bucket, counts[bucket]);
  }
  return Uint32Array.from(pairs);
}

/** Adds up the counts of several sets of coarse buckets. */
export function addBuckets(sets: readonly CoarseCounts[]): CoarseCounts {
  if (sets.length === 1) return sets[0];
  const sum = new Uint32Array(COARSE_BUCKETS);
  for (const pairs of sets) for (let i = 0; i < pairs.length; i += 2) sum[pairs[i]] += pairs[i + 1];
  return compactBuckets(sum);
}

/** The middle of the bucket, or 0 if there are no values. */
export function coarsePercentile(pairs: CoarseCounts, percent: number): number {
  let count = 0;
  for (let i = 1; i < pairs.length; i += 2) count += pairs[i];
  let left = Math.max(1, Math.ceil(percent / 100 * count - 1e-9));
  for (let i = 0; i < pairs.length; i += 2) {
    left -= pairs[i + 1];
    if (left <= 0) return coarseValue(pairs[i]);
  }
  return 0;
}

/** Encodes coarse buckets as base64 text of varints. */
export function encodeCoarse(pairs: CoarseCounts): string {
  const of = (parity: number) => [...pairs].filter((_, i) => i % 2 === parity);
  return encodeSparse({ buckets: of(0), counts: of(1) });
}

/** Throws an Error if the text is invalid. */
export function decodeCoarse(text: string): CoarseCounts {
  const { buckets, counts } = decodeBuckets(text);
  if (buckets.some((bucket) => bucket >= COARSE_BUCKETS)) {
    throw new Error("the histogram contains an invalid bucket");
  }
  return Uint32Array.from(buckets.flatMap((bucket, i) => [bucket, counts[i]]));
}
