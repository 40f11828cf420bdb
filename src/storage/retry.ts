/** Maximum number of consecutive requests that may fail without delivering a byte. */
export const MAX_FAILURES = 5;
/** The same as long as the server has sent no response at all. */
export const MAX_UNANSWERED = 2;
const FIRST_PAUSE_MS = 200;

/** Returns the pause in ms after a number of consecutive failures (from 1). It doubles each time. */
export function pauseMs(failures: number): number {
  return FIRST_PAUSE_MS * 2 ** failures;
}

/** Waits for `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
