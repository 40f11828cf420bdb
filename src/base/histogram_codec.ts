import { deflateSync, inflateSync } from "node:zlib";
import {
  bucketIndex,
  decodeBuckets,
  encodeSparse,
  highestValue,
  Histogram,
  type HistogramData,
  lowestValue,
} from "./histogram.ts";

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

// The V2 encoding of HdrHistogram, big-endian:
//
//   offset   0       4       8                12      16      24       32     40
//            cookie  length  index offset (0) digits  lowest  highest  ratio  counts …
//
// Each count, lowest bucket first, is a number in ZigZag LEB128. A negative number -n encodes n
// empty buckets. A ninth byte holds 8 bits, all others hold 7.

/** Cookie that identifies the HdrHistogram encoding: version 2, with counts of up to 9 bytes. */
const V2_COOKIE = 0x1c849313;
/**
 * Bits of the cookie (the number that identifies the format) that state the size of a count.
 * HdrHistogram V2 does not use them.
 */
const WORD_SIZE = 0xf0;
const HEADER_BYTES = 40;
const DIGITS = 3;
/** Maximum number of buckets: values are at most 2^53. */
const MAX_BUCKETS = bucketIndex(2 ** 53) + 1;
const MAX_COUNT = 2 ** 32 - 1;

/** Encodes a histogram in the HdrHistogram V2 format, without compression. */
export function packHistogram(histogram: Histogram): Uint8Array<ArrayBuffer> {
  const { counts, max } = histogram.data();
  const length = counts.findLastIndex((count) => count > 0) + 1;
  const writer = new Writer();
  for (let bucket = 0; bucket < length;) {
    const start = bucket;
    while (counts[bucket] === 0) bucket++;
    const empty = bucket - start;
    if (empty > 0) writer.put(empty > 1 ? 2 * empty - 1 : 0);
    else writer.put(2 * counts[bucket++]);
  }
  const bytes = writer.bytes();
  const view = new DataView(bytes.buffer);
  view.setUint32(0, V2_COOKIE);
  view.setUint32(4, bytes.length - HEADER_BYTES);
  view.setUint32(12, DIGITS);
  view.setBigUint64(16, 1n);
  view.setBigUint64(24, BigInt(Math.max(2, max)));
  view.setFloat64(32, 1);
  return bytes;
}

/**
 * Decodes the output of `packHistogram`. The sum, the minimum and the maximum are accurate to 3
 * significant digits. Throws an `Error` if the bytes are invalid.
 */
export function unpackHistogram(bytes: Uint8Array): HistogramData {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (
    bytes.length < HEADER_BYTES || (view.getUint32(0) & ~WORD_SIZE) !== (V2_COOKIE & ~WORD_SIZE)
  ) {
    throw new Error("the histogram is not in the HdrHistogram V2 format");
  }
  if (view.getUint32(12) !== DIGITS || view.getBigUint64(16) !== 1n) {
    throw new Error("the histogram does not have 3 significant digits");
  }
  const end = HEADER_BYTES + view.getUint32(4);
  if (end > bytes.length) throw new Error("the histogram is cut off");
  return countValues(readCounts(bytes, end));
}

function readCounts(bytes: Uint8Array, end: number): Uint32Array {
  const counts = new Uint32Array(MAX_BUCKETS);
  let [at, bucket] = [HEADER_BYTES, 0];
  while (at < end) {
    let number = 0;
    for (let scale = 1, size = 1;; scale *= 128, size++) {
      if (at >= end) throw new Error("the histogram is cut off");
      const byte = bytes[at++];
      number += (size === 9 ? byte : byte & 0x7f) * scale;
      if (size === 9 || byte < 0x80) break;
    }
    if (number % 2 === 1) bucket += (number + 1) / 2;
    else if (bucket < MAX_BUCKETS && number / 2 <= MAX_COUNT) counts[bucket++] = number / 2;
    else throw new Error("the histogram has a count that is too large, or too many counts");
  }
  return counts.slice(0, counts.findLastIndex((count) => count > 0) + 1);
}

function countValues(counts: Uint32Array): HistogramData {
  let [count, sum] = [0, 0];
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const values = counts[bucket];
    if (values === 0) continue;
    const low = lowestValue(bucket);
    count += values;
    sum += values * (low + Math.floor((highestValue(bucket) - low + 1) / 2));
  }
  if (count === 0) return { counts, count, sum, min: 0, max: 0 };
  const min = lowestValue(counts.findIndex((values) => values > 0));
  return { counts, count, sum, min, max: highestValue(counts.length - 1) };
}

/** Reserves space for the header, and writes numbers in LEB128 after it. */
class Writer {
  #bytes = new Uint8Array(512);
  #length = HEADER_BYTES;

  put(number: number): void {
    if (this.#length + 9 > this.#bytes.length) {
      const bytes = new Uint8Array(this.#bytes.length * 2);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) {
      this.#bytes[this.#length++] = rest % 128 | 0x80;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Returns a copy of the reserved header space and the numbers written after it. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Cookie that identifies the compressed HdrHistogram V2 format. */
const COMPRESSED_COOKIE = 0x1c849314;
const COOKIE_AND_LENGTH_BYTES = 8;
/**
 * Maximum size of a decompressed histogram, in bytes. Even a histogram with values in every bucket
 * is smaller.
 */
const MAX_BYTES = 1 << 20;

/**
 * Encodes a histogram as base64 text in the compressed HdrHistogram V2 format. Returns an empty
 * string if the histogram has no values.
 */
export function encodeHistogram(histogram: Histogram): string {
  return encodeLater(histogram)();
}

/**
 * Captures the current values of a histogram and returns a function that encodes them like
 * `encodeHistogram`. Compression, which takes most of the time, runs only if the function is
 * called.
 */
export function encodeLater(histogram: Histogram): () => string {
  if (histogram.count === 0) return () => "";
  let encoded: Uint8Array<ArrayBuffer> | string = packHistogram(histogram);
  return () => typeof encoded === "string" ? encoded : (encoded = compress(encoded));
}

/**
 * Decodes the output of `encodeHistogram`. The encoding has only 3 significant digits, so pass the
 * exact sum, minimum and maximum as `exact` if they are known. Throws an `Error` if the text is
 * invalid.
 */
export function decodeHistogram(
  text: string,
  exact?: { readonly sum: number; readonly min: number; readonly max: number },
): Histogram {
  const histogram = new Histogram();
  if (text === "") return histogram;
  const decoded = unpackHistogram(decompress(Uint8Array.fromBase64(text)));
  histogram.addData({ ...decoded, ...exact });
  return histogram;
}

function compress(packed: Uint8Array<ArrayBuffer>): string {
  const deflated = deflateSync(packed);
  const bytes = new Uint8Array(COOKIE_AND_LENGTH_BYTES + deflated.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, COMPRESSED_COOKIE);
  view.setUint32(4, deflated.length);
  bytes.set(deflated, COOKIE_AND_LENGTH_BYTES);
  return bytes.toBase64();
}

function decompress(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer);
  const isCompressed = bytes.length >= COOKIE_AND_LENGTH_BYTES &&
    (view.getUint32(0) & ~WORD_SIZE) === (COMPRESSED_COOKIE & ~WORD_SIZE);
  if (!isCompressed) throw new Error("the histogram is not in the compressed HdrHistogram format");
  const deflated = bytes.subarray(COOKIE_AND_LENGTH_BYTES);
  try {
    return inflateSync(deflated, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error("the histogram is too large", { cause: error });
  }
}
