/** More than the latency of any message between threads on a busy machine. */
const MAX_DIFFERENCE_MS = 5_000;

/**
 * Returns Unix milliseconds that are the same in all threads of a process and ignore changes of the
 * system clock.
 */
export function threadTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Reports whether `other`, the `threadTime` that another thread just sent, is on the same scale as
 * this thread's. It is not if the system clock was set between the starts of the two threads.
 */
export function isSameClock(other: number): boolean {
  return Math.abs(other - threadTime()) < MAX_DIFFERENCE_MS;
}
