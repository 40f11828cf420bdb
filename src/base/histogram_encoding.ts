import { deflateSync, inflateSync } from "node:zlib";
import { Histogram } from "./histogram.ts";
import { packHistogram, unpackHistogram } from "./histogram_payload.ts";

/** Cookie that identifies the compressed HdrHistogram V2 format. */
const COOKIE = 0x1c849314;
/** Bits of the cookie (the number that identifies the format) that HdrHistogram V2 does not use. */
const WORD_SIZE = 0xf0;
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
  view.setUint32(0, COOKIE);
  view.setUint32(4, deflated.length);
  bytes.set(deflated, COOKIE_AND_LENGTH_BYTES);
  return bytes.toBase64();
}

function decompress(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer);
  const isCompressed = bytes.length >= COOKIE_AND_LENGTH_BYTES &&
    (view.getUint32(0) & ~WORD_SIZE) === (COOKIE & ~WORD_SIZE);
  if (!isCompressed) throw new Error("the histogram is not in the compressed HdrHistogram format");
  const deflated = bytes.subarray(COOKIE_AND_LENGTH_BYTES);
  try {
    return inflateSync(deflated, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error("the histogram is too large", { cause: error });
  }
}
