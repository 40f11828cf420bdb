/** More than any message between threads takes on a busy machine. */
const MOST_APART_MS = 5_000;

/** Milliseconds that all threads of a process count alike, from 1970, however the clock is set meanwhile. */
export function threadTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Whether the thread that said just now that its `threadTime` is `theirs` counts as this one does:
 * not if the clock was set after one was started and before the other was.
 */
export function countsAlike(theirs: number): boolean {
  return Math.abs(theirs - threadTime()) < MOST_APART_MS;
}
