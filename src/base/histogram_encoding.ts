import { inflateSync } from "node:zlib";
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type JsHistogram,
} from "hdr-histogram-js";
import { bucketIndex, Histogram } from "./histogram.ts";

const COOKIE_AND_LENGTH_BYTES = 8;
/** Every slot up to the largest number, at the most bytes that a count takes. */
const MOST_BYTES = 1 << 20;

/** HdrHistogram's V2 compressed encoding in base64; an empty text without values. */
export function encodeHistogram(histogram: Histogram): string {
  if (histogram.count === 0) return "";
  const encoded = build({
    highestTrackableValue: Math.max(2, histogram.max),
    numberOfSignificantValueDigits: 3,
    autoResize: true,
  });
  for (const [lowest, count] of histogram.slots()) encoded.recordValueWithCount(lowest, count);
  return encodeIntoCompressedBase64(encoded);
}

/**
 * Reads back what `encodeHistogram` wrote, `exact` giving what the encoding keeps to 3 digits only. Throws an Error
 * when the text is no such encoding.
 */
export function decodeHistogram(
  text: string,
  exact?: { readonly sum: number; readonly min: number; readonly max: number },
): Histogram {
  const histogram = new Histogram();
  if (text === "") return histogram;
  refuseBomb(text);
  const decoded = decodeFromCompressedBase64(text) as JsHistogram;
  if (decoded.numberOfSignificantValueDigits !== 3 || decoded.unitMagnitude !== 0) {
    throw new Error("a histogram of another precision was found, 3 significant digits expected");
  }
  const counts = new Uint32Array(bucketIndex(decoded.maxValue) + 1);
  for (let slot = 0; slot < counts.length; slot++) {
    counts[slot] = decoded.getCountAtIndex(slot);
  }
  const min = decoded.minNonZeroValue;
  const rounded = {
    sum: decoded.mean * decoded.totalCount,
    min: counts[0] > 0 ? 0 : min,
    max: decoded.maxValue,
  };
  const { sum, min: least, max } = exact ?? rounded;
  histogram.addData({ counts, count: decoded.totalCount, sum, min: least, max });
  return histogram;
}

/** The library inflates whatever it is given; a few kilobytes can be gigabytes then. */
function refuseBomb(text: string): void {
  const deflated = Uint8Array.fromBase64(text).subarray(COOKIE_AND_LENGTH_BYTES);
  try {
    inflateSync(deflated, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error("a histogram is longer than any can be", { cause: error });
  }
}
