/** Cancels a wake-up that has not happened yet; does nothing afterwards. */
export type Cancel = () => void;

/** Time as the engine sees it: the real one, or, in tests, one that jumps. */
export interface Clock {
  /** Milliseconds; `performance.now()` for the real clock. */
  now(): number;
  /** Calls `wake` once, at `time` or as soon after it as can be. */
  at(time: number, wake: () => void): Cancel;
  /** Lets go of what the clock holds; it wakes nobody any more. */
  close(): void;
}

/** Waits until `time`. */
export function sleepUntil(clock: Clock, time: number): Promise<void> {
  return new Promise((resolve) => clock.at(time, resolve));
}
