/** Cancels a wake-up that has not happened yet; otherwise does nothing. */
export type Cancel = () => void;

/** Source of time for the engine: real time, or virtual time in tests. */
export interface Clock {
  /** Returns the time in milliseconds; `performance.now()` for the real clock. */
  now(): number;
  /** Calls `wake` once, at `time` or as soon as possible after it. */
  at(time: number, wake: () => void): Cancel;
  /** Releases resources and cancels all wake-ups. */
  close(): void;
}

/** Resolves at `time`. */
export function sleepUntil(clock: Clock, time: number): Promise<void> {
  return new Promise((resolve) => clock.at(time, resolve));
}
