import { bucketIndex, type HistogramData, type SparseHistogram } from "./histogram.ts";

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
