import { inflateSync } from "node:zlib";
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type JsHistogram,
} from "hdr-histogram-js";
import { bucketIndex, Histogram } from "./histogram.ts";

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
  if (histogram.count === 0) return "";
  const encoded = build({
    highestTrackableValue: Math.max(2, histogram.max),
    numberOfSignificantValueDigits: 3,
    autoResize: true,
  });
  for (const [lowest, count] of histogram.buckets()) encoded.recordValueWithCount(lowest, count);
  return encodeIntoCompressedBase64(encoded);
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
  rejectBomb(text);
  const decoded = decodeFromCompressedBase64(text) as JsHistogram;
  if (decoded.numberOfSignificantValueDigits !== 3 || decoded.unitMagnitude !== 0) {
    throw new Error("the histogram does not have 3 significant digits");
  }
  const counts = new Uint32Array(bucketIndex(decoded.maxValue) + 1);
  for (let bucket = 0; bucket < counts.length; bucket++) {
    counts[bucket] = decoded.getCountAtIndex(bucket);
  }
  const min = decoded.minNonZeroValue;
  const rounded = {
    sum: decoded.mean * decoded.totalCount,
    min: counts[0] > 0 ? 0 : min,
    max: decoded.maxValue,
  };
  const metrics = exact ?? rounded;
  histogram.addData({
    counts,
    count: decoded.totalCount,
    sum: metrics.sum,
    min: metrics.min,
    max: metrics.max,
  });
  return histogram;
}

/**
 * Throws an `Error` if the base64 text decompresses to more than `MAX_BYTES`. The library itself
 * has no limit and can inflate kilobytes to gigabytes.
 */
function rejectBomb(text: string): void {
  const deflated = Uint8Array.fromBase64(text).subarray(COOKIE_AND_LENGTH_BYTES);
  try {
    inflateSync(deflated, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error("the histogram is too large", { cause: error });
  }
}
