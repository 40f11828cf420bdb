/** Waits so many milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** A way to wait that the signal ends early. */
export function pauseUntil(signal: AbortSignal): Pause {
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
