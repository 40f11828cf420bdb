/** Shorter pauses are counted as none: most logs have whole seconds. */
const SHORTEST_MS = 500;
/** Buckets per doubling of the pause: each is 12 % wide. */
const PER_OCTAVE = 6;

/** Buckets of a histogram of pauses up to 30 minutes, which is where a visit ends. */
export const PAUSE_BUCKETS: number = 2 + Math.ceil(PER_OCTAVE * Math.log2(1_800_000 / SHORTEST_MS));

/** Returns the bucket of a pause in milliseconds. */
export function pauseBucket(ms: number): number {
  if (ms < SHORTEST_MS) return 0;
  return Math.min(
    PAUSE_BUCKETS - 1,
    1 + Math.floor(PER_OCTAVE * Math.log2(ms / SHORTEST_MS)),
  );
}

/**
 * Returns the pause in milliseconds that a share (0 to 1) of the counted pauses does not exceed,
 * within 12 %. `counts` holds one number per bucket, and at least one pause.
 */
export function pauseQuantile(counts: Uint32Array, share: number): number {
  const wanted = share * counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  let last = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    last = bucket;
    if (before + count >= wanted) {
      return between(bucket, (wanted - before) / count);
    }
    before += count;
  }
  return between(last, 1);
}

/** A point within a bucket, from 0 (its start) to 1 (its end). */
function between(bucket: number, at: number): number {
  return bucket === 0 ? 0 : SHORTEST_MS * 2 ** ((bucket - 1 + at) / PER_OCTAVE);
}
