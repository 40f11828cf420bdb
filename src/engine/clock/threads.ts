/**
 * Maximum difference, in ms, between the times reported by two threads with the same time scale. It
 * exceeds the latency of any message between threads, even on a busy machine.
 */
const MAX_DIFFERENCE_MS = 5_000;

/**
 * Returns the current time in Unix milliseconds. Changes to the system clock while the thread runs
 * do not affect it. Threads of a process normally use the same time scale; `isSameClock` detects
 * the exceptions.
 */
export function threadTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Reports whether `threadTime` in another thread uses the same time scale as in this thread.
 * `other` is the value that the other thread has just sent. The scales differ if the system clock
 * was changed after one thread started and before the other started.
 */
export function isSameClock(other: number): boolean {
  return Math.abs(other - threadTime()) < MAX_DIFFERENCE_MS;
}
