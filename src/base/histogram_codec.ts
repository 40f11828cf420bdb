import { deflateSync, inflateSync } from "node:zlib";
import {
  bucketIndex,
  highestValue,
  Histogram,
  type HistogramData,
  lowestValue,
  pushVarint,
} from "./histogram.ts";

// The V2 encoding of HdrHistogram, big-endian:
//
//   offset   0       4       8                12      16      24       32     40
//            cookie  length  index offset (0) digits  lowest  highest  ratio  counts …
//
// Each count, lowest bucket first, is a number in ZigZag LEB128. A negative number -n encodes n
// empty buckets. A ninth byte holds 8 bits, all others hold 7.

const V2_COOKIE = 0x1c849313;
/** Bits of the cookie that state the size of a count, which HdrHistogram V2 does not use. */
const WORD_SIZE = 0xf0;
const HEADER_BYTES = 40;
const DIGITS = 3;
const MAX_BUCKETS = bucketIndex(2 ** 53) + 1;
const MAX_COUNT = 2 ** 32 - 1;

/** Encodes a histogram in the HdrHistogram V2 format, without compression. */
export function packHistogram(histogram: Histogram): Uint8Array<ArrayBuffer> {
  const { counts, max } = histogram.data();
  const length = counts.findLastIndex((count) => count > 0) + 1;
  const numbers: number[] = [];
  for (let bucket = 0; bucket < length;) {
    const start = bucket;
    while (counts[bucket] === 0) bucket++;
    const empty = bucket - start;
    if (empty > 0) pushVarint(numbers, empty > 1 ? 2 * empty - 1 : 0);
    else pushVarint(numbers, 2 * counts[bucket++]);
  }
  const bytes = new Uint8Array(HEADER_BYTES + numbers.length);
  bytes.set(numbers, HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, V2_COOKIE);
  view.setUint32(4, bytes.length - HEADER_BYTES);
  view.setUint32(12, DIGITS);
  view.setBigUint64(16, 1n);
  view.setBigUint64(24, BigInt(Math.max(2, max)));
  view.setFloat64(32, 1);
  return bytes;
}

/** Accurate to 3 significant digits. */
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

const COMPRESSED_COOKIE = 0x1c849314;
const COOKIE_AND_LENGTH_BYTES = 8;
/** Even a histogram with values in every bucket is smaller. */
const MAX_BYTES = 1 << 20;

/** Base64 of the compressed HdrHistogram V2 format. */
export function encodeHistogram(histogram: Histogram): string {
  return encodeLater(histogram)();
}

/** Compresses only when the result is called. */
export function encodeLater(histogram: Histogram): () => string {
  if (histogram.count === 0) return () => "";
  let encoded: Uint8Array<ArrayBuffer> | string = packHistogram(histogram);
  return () => typeof encoded === "string" ? encoded : (encoded = compress(encoded));
}

/**
 * Accurate to 3 significant digits, so pass exact values if known. Throws an `Error` if the text is
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
