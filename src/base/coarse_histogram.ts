import { decodeBuckets, encodeSparse } from "./histogram.ts";

/**
 * Number of coarse buckets. Each value below 16 has its own bucket. From 16 on, each doubling of
 * the value adds 16 buckets. The middle of a bucket therefore differs by at most 3.1% from the
 * values in the bucket.
 */
export const COARSE_BUCKETS = 448;

const MAX_VALUE = 0x7fffffff;

/**
 * Returns the number of the coarse bucket that contains `value`, which must be at least 0. Values
 * above 2^31 - 1 are in the last bucket.
 */
export function coarseBucket(value: number): number {
  const whole = value < MAX_VALUE ? value | 0 : MAX_VALUE;
  if (whole < 16) return whole;
  const shift = 27 - Math.clz32(whole);
  return (shift << 4) + (whole >>> shift);
}

/** Returns the value in the middle of a coarse bucket, rounded down to an integer. */
export function coarseValue(bucket: number): number {
  const shift = Math.max(0, (bucket >> 4) - 1);
  return coarseLowest(bucket) + Math.floor((2 ** shift - 1) / 2);
}

/** Returns the lowest value of a coarse bucket. */
export function coarseLowest(bucket: number): number {
  const shift = Math.max(0, (bucket >> 4) - 1);
  return (bucket - (shift << 4)) * 2 ** shift;
}

/** Nonempty coarse buckets, lowest first, as alternating bucket numbers and counts. */
export type CoarseCounts = Uint32Array;

/**
 * Returns the nonempty buckets. `counts` has one element per coarse bucket: the number of values in
 * it.
 */
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

/**
 * Returns the percentile `percent` (0 to 100), approximated by the middle of the bucket that
 * contains it. Returns 0 if there are no values.
 */
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

/** Encodes coarse buckets as base64 text of varints. `decodeCoarse` decodes the result. */
export function encodeCoarse(pairs: CoarseCounts): string {
  const of = (parity: number) => [...pairs].filter((_, i) => i % 2 === parity);
  return encodeSparse({ buckets: of(0), counts: of(1) });
}

/** Decodes the output of `encodeCoarse`. Throws an Error if the text is invalid. */
export function decodeCoarse(text: string): CoarseCounts {
  const { buckets, counts } = decodeBuckets(text);
  if (buckets.some((bucket) => bucket >= COARSE_BUCKETS)) {
    throw new Error("the histogram contains an invalid bucket");
  }
  return Uint32Array.from(buckets.flatMap((bucket, i) => [bucket, counts[i]]));
}
