/** Cancels a scheduled wake-up. Does nothing if the wake-up has already happened. */
export type Cancel = () => void;

/** Source of time for the engine: real time, or virtual time in tests. */
export interface Clock {
  /** Returns the current time in milliseconds. The real clock returns `performance.now()`. */
  now(): number;
  /**
   * Calls `wake` once, at `time` or as soon as possible after it. Returns a function that cancels
   * the call.
   */
  at(time: number, wake: () => void): Cancel;
  /** Releases resources and cancels all wake-ups. */
  close(): void;
}

/** Returns a promise that resolves when `clock` reaches `time`. */
export function sleepUntil(clock: Clock, time: number): Promise<void> {
  return new Promise((resolve) => clock.at(time, resolve));
}
