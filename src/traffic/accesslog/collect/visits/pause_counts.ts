/**
 * Shortest pause, in milliseconds, that is not treated as zero. Most logs have a resolution of one
 * second, so shorter pauses are noise.
 */
const SHORTEST_MS = 500;
/**
 * Number of buckets per doubling of the pause. The upper bound of each bucket is 12% above its
 * lower bound.
 */
const PER_OCTAVE = 6;

/**
 * Number of buckets in a pause histogram. The buckets cover pauses of up to 30 minutes, the idle
 * time that ends a visit.
 */
export const PAUSE_BUCKETS: number = 2 + Math.ceil(PER_OCTAVE * Math.log2(1_800_000 / SHORTEST_MS));

/** Returns the index of the histogram bucket for a pause of `ms` milliseconds. */
export function pauseBucket(ms: number): number {
  if (ms < SHORTEST_MS) return 0;
  return Math.min(
    PAUSE_BUCKETS - 1,
    1 + Math.floor(PER_OCTAVE * Math.log2(ms / SHORTEST_MS)),
  );
}

/**
 * Returns a quantile of the pauses in a histogram, in milliseconds, with an error of at most 12%.
 * `quantile` is between 0 and 1. `counts` must have `PAUSE_BUCKETS` elements and contain at least
 * one pause.
 */
export function pauseQuantile(counts: Uint32Array, quantile: number): number {
  const rank = quantile * counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  let last = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    last = bucket;
    if (before + count >= rank) {
      return pauseWithin(bucket, (rank - before) / count);
    }
    before += count;
  }
  return pauseWithin(last, 1);
}

/**
 * Returns the pause, in milliseconds, at a relative position in a bucket: 0 is its start, and 1 is
 * its end.
 */
function pauseWithin(bucket: number, at: number): number {
  return bucket === 0 ? 0 : SHORTEST_MS * 2 ** ((bucket - 1 + at) / PER_OCTAVE);
}
