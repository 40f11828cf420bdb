/** Maximum number of consecutive requests that may fail without returning any bytes. */
export const MAX_FAILURES = 5;
/** Maximum number of consecutive failed requests if the server has not sent any response at all. */
export const MAX_UNANSWERED = 2;
const FIRST_PAUSE_MS = 200;

/**
 * Returns the pause in ms after a number of consecutive failures (from 1). The pause doubles with
 * each failure.
 */
export function pauseMs(failures: number): number {
  return FIRST_PAUSE_MS * 2 ** failures;
}

/** Waits for `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
