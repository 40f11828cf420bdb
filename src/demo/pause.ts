/** Waits for a number of milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** Creates a `Pause` that ends early when `signal` is aborted. */
export function createPause(signal: AbortSignal): Pause {
  return (ms) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    });
}
